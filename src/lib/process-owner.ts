/**
 * Who made a lock or a temporary file, and is that process still there?
 *
 * A process is named by its pid, the moment it started (so that a reused pid is not mistaken for it)
 * and its place: the running kernel and the pid namespace. A pid read from a file that another
 * machine or container wrote says nothing here, so such an owner is never declared dead; it only
 * loses its claim by age.
 */
import { createHash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

/** A process as recorded in a file, or in its name. Without `place` it was recorded by another program. */
export interface Owner {
  pid: number;
  /** Field 22 of /proc/<pid>/stat on Linux; absent where the system has no cheap answer. */
  processStart?: string | undefined;
  /** The running kernel and the pid namespace, as 16 hexadecimal digits. */
  place?: string | undefined;
}

/** What a place looks like. */
export const PLACE = "[0-9a-f]{16}";

/** How long a file of an owner who looks dead, but whose place is not recorded, must lie unchanged. */
export const UNSURE_MS = 150;
/** How long a file made elsewhere (another boot, host or pid namespace) must lie unchanged. */
export const ELSEWHERE_MS = 30_000;

let me: Promise<Required<Pick<Owner, "pid" | "place">> & Owner> | undefined;

/** This process, as others will find it recorded. Looked up once. */
export function thisProcess(): Promise<Required<Pick<Owner, "pid" | "place">> & Owner> {
  me ??= (async () => {
    const [boot, namespace, stat] = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => hostname()),
      readlink("/proc/self/ns/pid").catch(() => ""),
      processStat(process.pid),
    ]);
    const place = createHash("sha256").update(`${boot.trim()} ${namespace}`).digest("hex").slice(0, 16);
    return { pid: process.pid, processStart: stat?.start, place };
  })();
  return me;
}

/**
 * Milliseconds that a file of this owner must have been lying unchanged before it may be taken
 * away: 0 when the owner is surely gone, Infinity when it is alive.
 */
export async function goneAfterMs(owner: Owner): Promise<number> {
  const here = await thisProcess();
  if (owner.place !== undefined && owner.place !== here.place) return ELSEWHERE_MS;
  if (await isRunning(owner)) return Infinity;
  return owner.place === undefined ? UNSURE_MS : 0;
}

/** Whether the process runs, judged in this pid namespace. A zombie does not. */
export async function isRunning(owner: Owner): Promise<boolean> {
  if (!Number.isSafeInteger(owner.pid) || owner.pid <= 0) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const stat = await processStat(owner.pid);
  if (stat === undefined) return true; // no /proc to ask: the pid is in use, and that is all we know
  if (stat.state === "Z" || stat.state === "X") return false;
  return owner.processStart === undefined || !/^\d+$/.test(owner.processStart) || owner.processStart === stat.start;
}

/** State letter and start time from /proc; undefined when that cannot be read. */
async function processStat(pid: number): Promise<{ state: string; start: string } | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // The command name, in parentheses, may itself contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, start] = [fields[0], fields[19]];
    return state === undefined || start === undefined ? undefined : { state, start };
  } catch {
    return undefined;
  }
}
