/**
 * Starting and ending bridges. A bridge lives at most as long as the server that started it: it is told to end when this
 * server stops, and the kernel tells it when this server is killed. Other servers may use it meanwhile.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureDir } from "../../lib/omc-paths.js";
import { onStop } from "../../mcp/stop-hooks.js";
import { type BridgeMeta, isAlive, removeMeta, writeMeta } from "./bridge-meta.js";
import type { Programs } from "./interpreter.js";
import type { Session } from "./session.js";
import { sweepStaleSessions } from "./stale-sessions.js";

const START_MS = 30_000;
const MAX_STDERR = 64 * 1024;
/** How long a bridge gets after SIGTERM before SIGKILL, when this server stops. */
const GRACE_MS = 1_500;

/** A bridge could not be started. The message is for the caller. */
export class BridgeStartError extends Error {
  override name = "BridgeStartError";
}

interface Started {
  session: Session;
  child: ChildProcess;
  meta: BridgeMeta;
}

/** The bridges that this server has started and that run, by the session's folder. */
const started = new Map<string, Started>();
let hooked = false;

/** The record of a bridge of this server, whatever has become of the file. */
export function ownBridge(session: Session): BridgeMeta | undefined {
  return started.get(session.folder)?.meta;
}

/** Starts a bridge and records it. @throws {BridgeStartError} */
export async function startBridge(session: Session, projectDir: string, programs: Programs, confined: boolean): Promise<BridgeMeta> {
  if (!hooked) {
    hooked = true;
    onStop("Python sessions", endAll);
    void sweepStaleSessions(session);
  }
  await ensureDir(session.folder, 0o700);
  const token = randomUUID();
  const child = launch(session, projectDir, programs, confined, token);
  const socketPath = await untilReady(child);
  const pid = child.pid as number;
  const processStartTime = await startTimeOf(pid);
  const meta: BridgeMeta = {
    pid,
    socketPath,
    startedAt: new Date().toISOString(),
    sessionId: session.id,
    pythonEnv: { pythonPath: programs.projectPython ?? programs.python, type: "venv" },
    ...(processStartTime !== undefined && { processStartTime }),
    ...(socketPath.startsWith("tcp:") && { token }),
    projectDir,
  };
  if (child.exitCode !== null || child.signalCode !== null) throw new BridgeStartError("the bridge ended as soon as it had started");
  const entry = { session, child, meta };
  started.set(session.folder, entry);
  child.once("exit", () => {
    if (started.get(session.folder) === entry) started.delete(session.folder);
  });
  await writeMeta(session, meta);
  return meta;
}

function launch(session: Session, projectDir: string, programs: Programs, confined: boolean, token: string): ChildProcess {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PYTHONUNBUFFERED: "1",
    OMC_PARENT_PID: String(process.pid),
    OMC_BRIDGE_READY_FD: "3",
    OMC_BRIDGE_TOKEN: token,
    ...(confined && { OMC_PYTHON_SANDBOX: "1" }),
    ...(programs.projectPython !== undefined && { OMC_BRIDGE_PYTHON: programs.projectPython }),
  };
  const child = spawn(programs.python, ["-I", programs.script, session.socket], {
    cwd: projectDir,
    env,
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  child.unref();
  return child;
}

/** Waits for the bridge's first words and returns where it listens. Whatever goes wrong, nothing of it stays. */
async function untilReady(child: ChildProcess): Promise<string> {
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-MAX_STDERR)));
  const words = child.stdio[3] as NodeJS.ReadableStream | null | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      const refuse = (why: string) => reject(new BridgeStartError(why));
      const timer = setTimeout(() => refuse(`the bridge was not ready within ${START_MS / 1000} s`), START_MS);
      const settle = <T>(give: (value: T) => void) => (value: T): void => {
        clearTimeout(timer);
        give(value);
      };
      let text = "";
      words?.on("error", () => {});
      words?.on("data", (chunk: Buffer) => {
        text = (text + chunk.toString("utf8")).slice(0, MAX_STDERR);
        if (text.includes("\n")) settle(() => readReady(text, resolve, refuse))(undefined);
      });
      child.once("error", (error: NodeJS.ErrnoException) => settle(refuse)(`Python could not be started (${error.code ?? error.name})`));
      child.once("close", (code, signal) => settle(refuse)(`the bridge ended with ${code ?? signal}${lastLine(stderr)}`));
    });
  } catch (error) {
    signalGroup(child.pid, "SIGKILL");
    throw error;
  }
}

function readReady(text: string, resolve: (socketPath: string) => void, refuse: (why: string) => void): void {
  try {
    const { ready, problem, socket } = JSON.parse(text) as { ready?: unknown; problem?: unknown; socket?: unknown };
    if (ready === true && typeof socket === "string") resolve(socket);
    else refuse(typeof problem === "string" ? problem : "the bridge did not say why it is not ready");
  } catch {
    refuse("the bridge's first words are not JSON");
  }
}

/** The last line that a failed start has left, which in Python names the error. */
function lastLine(stderr: string): string {
  const line = stderr.trim().split("\n").at(-1) ?? "";
  return line === "" ? "" : `: ${line.slice(0, 300)}`;
}

async function startTimeOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  const field = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return field === undefined ? undefined : Number(field);
}

/** How a bridge that did not answer was ended. */
export type EndedBy = "SIGINT" | "SIGTERM" | "SIGKILL";

/** Ends a bridge, more and more firmly; looks each time whether it still is the process that was recorded. */
export async function endBridge(session: Session, meta: BridgeMeta, steps: readonly EndedBy[] = ["SIGTERM", "SIGKILL"]): Promise<EndedBy> {
  let last = steps[0] ?? "SIGKILL";
  for (const step of steps) {
    if (!(await isAlive(meta))) break;
    last = step;
    signalGroup(meta.pid, step);
    const until = performance.now() + GRACE_MS;
    while (performance.now() < until && (await isAlive(meta))) await sleep(15);
  }
  if (!(await isAlive(meta))) await removeMeta(session, meta.pid);
  return last;
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  for (const target of process.platform === "win32" ? [pid] : [-pid, pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch {
      // no such group, or gone
    }
  }
}

async function endAll(): Promise<void> {
  await Promise.all([...started.values()].map(({ session, meta }) => endBridge(session, meta)));
}
