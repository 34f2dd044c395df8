/**
 * What a killed process leaves beside a file: temporary files, rollback links, lock tickets and
 * recovery claims, ours and those of oh-my-claudecode. All are named after the file, most also after
 * their maker, so the next one who writes the file under its lock can take away what is dead.
 */
import { lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { readOwnerFile } from "./owner-file.js";
import { isRunning, type Owner } from "./process-owner.js";

/** A leftover whose name does not tell its maker must have been lying still for this long. */
const QUIET_MS = 1_000;

type Verdict = { owner: Owner } | "quiet" | "body" | undefined;

const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const OUR_TEMP = new RegExp(`^(\\d+)-(\\d+)-${UUID}$`);
const LOCK_TICKET = /^\.(?:mutation\.|team-state\.)?lock\.(\d+)\.[0-9a-fA-F-]+\.tmp$/;
const RECLAIM_MARK = /^\.(?:mutation\.|team-state\.)?lock\.reclaim\.[\da-f-]+\.\d+$/;
const CLAIM_TEMP = new RegExp(`^\\.emergency-recovery\\.claim\\.(\\d+)\\.([^.]+)\\.${UUID}\\.tmp$`);
const CLAIM_OR_GUARD = /^\.emergency-recovery\.claim(?:\.recovery\.guard)?$/;
const GUARD_TICKET = /^\.emergency-recovery\.claim\.recovery\.guard\.(\d+)\.[0-9a-fA-F-]+\.tmp$/;
const ROLLBACK = new RegExp(`^\\.rollback\\.${UUID}$`);
const PLAIN_TEMP = /^\.tmp\.(\d+)\.\d+$/;

/**
 * Removes what dead processes left beside `base` in `dir`. Call it while holding the file's lock, as
 * `withFileLock` does: then no living process of this user is between two steps of a write.
 * Never throws; what cannot be removed stays.
 */
export async function sweepLeftovers(dir: string, base: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const verdict = classify(name, base);
      if (verdict === undefined) return;
      const path = join(dir, name);
      if (await isDead(path, verdict).catch(() => false)) await unlink(path).catch(() => {});
    }),
  );
}

/** How to tell whether a neighbour is a leftover of `base`; undefined when it is none of our business. */
function classify(name: string, base: string): Verdict {
  const hidden = `.${base}.tmp.`;
  if (name.startsWith(hidden)) {
    const ours = OUR_TEMP.exec(name.slice(hidden.length));
    return ours === null ? "quiet" : { owner: { pid: Number(ours[1]), processStart: ours[2] === "0" ? undefined : ours[2] } };
  }
  if (!name.startsWith(`${base}.`)) return undefined;
  const rest = name.slice(base.length);
  const claim = CLAIM_TEMP.exec(rest);
  if (claim !== null) return { owner: { pid: Number(claim[1]), processStart: claim[2] } };
  const ticket = LOCK_TICKET.exec(rest) ?? GUARD_TICKET.exec(rest) ?? PLAIN_TEMP.exec(rest);
  if (ticket !== null) return { owner: { pid: Number(ticket[1]) } };
  if (ROLLBACK.test(rest)) return "quiet";
  return CLAIM_OR_GUARD.test(rest) || RECLAIM_MARK.test(rest) ? "body" : undefined;
}

async function isDead(path: string, verdict: Exclude<Verdict, undefined>): Promise<boolean> {
  if (typeof verdict === "object") return !(await isRunning(verdict.owner));
  if (verdict === "body") {
    const file = await readOwnerFile(path);
    if (file?.owner !== undefined) return !(await isRunning(file.owner));
  }
  const found = await lstat(path);
  // A rollback link shares the times of the file it keeps; only the change of its link count is new.
  return Date.now() - Math.max(found.mtimeMs, found.ctimeMs) >= QUIET_MS;
}
