/** What the Docker command says about running containers. Asked with a limit, and never while a tool can do without. */
import { execFile } from "node:child_process";
import { findProgram } from "./find-program.js";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** A running container, as far as it matters here. */
export interface RunningContainer {
  id: string;
  labels: Readonly<Record<string, string>>;
  /** Folders of this machine that the container sees. */
  mounts: readonly Mount[];
}

export interface Mount {
  /** Absolute path on this machine. */
  source: string;
  /** Absolute path in the container. */
  destination: string;
}

interface Inspected {
  Id?: unknown;
  State?: { Running?: unknown };
  Config?: { Labels?: unknown };
  Mounts?: unknown;
}

/** Absolute path of the Docker command, or undefined. */
export function dockerProgram(): Promise<string | undefined> {
  return findProgram("docker");
}

/** The running containers, or that of the name or id given. Empty when Docker does not answer in time. */
export async function runningContainers(docker: string, id?: string): Promise<RunningContainer[]> {
  const listed = id === undefined ? await run(docker, ["ps", "-q", "--no-trunc"]) : id;
  const ids = (listed ?? "").split(/\s+/).filter((one) => /^[\w][\w.-]*$/.test(one));
  if (ids.length === 0) return [];
  const answer = await run(docker, ["inspect", "--type", "container", ...ids]);
  try {
    const found: unknown = JSON.parse(answer ?? "[]");
    return (Array.isArray(found) ? (found as Inspected[]) : []).filter((one) => one?.State?.Running !== false).flatMap(container);
  } catch {
    return [];
  }
}

function container({ Id, Config, Mounts }: Inspected): RunningContainer[] {
  if (typeof Id !== "string") return [];
  const labels = Object.entries((Config?.Labels ?? {}) as Record<string, unknown>);
  const mounts = Array.isArray(Mounts) ? (Mounts as { Type?: unknown; Source?: unknown; Destination?: unknown }[]) : [];
  return [
    {
      id: Id,
      labels: Object.fromEntries(labels.map(([name, value]) => [name, String(value)])),
      mounts: mounts.flatMap(({ Type, Source, Destination }) =>
        Type === "bind" && typeof Source === "string" && typeof Destination === "string" ? [{ source: Source, destination: Destination }] : [],
      ),
    },
  ];
}

/** stdout, or undefined when the command failed or took too long. Of `inspect`, what it found counts. */
function run(docker: string, args: readonly string[]): Promise<string | undefined> {
  const options = { timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, killSignal: "SIGKILL" as const, windowsHide: true };
  return new Promise((resolve) => {
    execFile(docker, [...args], options, (error, stdout) => {
      resolve(error !== null && (error.killed === true || args[0] !== "inspect") ? undefined : stdout);
    });
  });
}
