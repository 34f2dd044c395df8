/** Running code: one execution of a session at a time, over all servers that use it. */
import { hostname } from "node:os";
import { join } from "node:path";
import { realpath } from "node:fs/promises";
import { readTextFile } from "../../lib/atomic-file.js";
import { LockTimeoutError, withFileLock } from "../../lib/file-lock.js";
import { securitySettings } from "../../lib/tool-paths.js";
import { fail, ok, type ToolResult } from "../types.js";
import { ask, BridgeTimeoutError, BridgeUnreachableError } from "./bridge-client.js";
import type { BridgeMeta } from "./bridge-meta.js";
import { endBridge, startBridge } from "./bridge-process.js";
import { type ExecutionResult, readExecution } from "./bridge-results.js";
import type { PythonArguments } from "./call.js";
import { findPrograms } from "./interpreter.js";
import { busyText, executionText, failureText, type Holder } from "./result-text.js";
import { otherFolder, runningBridge } from "./running-bridge.js";
import type { Session } from "./session.js";

const EXECUTION_MS = 300_000;
const QUEUE_MS = 30_000;
/** The bridge ends code whose time is up by itself; this much later something is wrong with the bridge. */
const OVERTIME_MS = 10_000;
const MAX_SESSIONS = 1_000;

type Arguments = PythonArguments & { code: string };

/** The bridge that last ran code of a session for this server, and how often one did. */
const seen = new Map<string, { pid: number; count: number }>();

export async function execute(session: Session, args: Arguments, signal: AbortSignal): Promise<ToolResult> {
  const waitMs = args.queueTimeout ?? QUEUE_MS;
  try {
    return await withFileLock(join(session.folder, "session"), { waitMs, signal, protocol: "session" }, () => run(session, args, signal));
  } catch (error) {
    if (!(error instanceof LockTimeoutError)) throw error;
    return fail(busyText(session.id, waitMs, await holderOf(session)));
  }
}

async function run(session: Session, args: Arguments, signal: AbortSignal): Promise<ToolResult> {
  const timeoutMs = args.executionTimeout ?? EXECUTION_MS;
  let bridge = (await runningBridge(session)) ?? (await start(session, args.projectDir));
  try {
    let result;
    try {
      result = await runIn(bridge, args.code, timeoutMs, signal);
    } catch (error) {
      // Nobody listened, so nothing was run: once more, in a new one.
      if (!(error instanceof BridgeUnreachableError)) throw error;
      await endBridge(session, bridge);
      bridge = await start(session, args.projectDir);
      result = await runIn(bridge, args.code, timeoutMs, signal);
    }
    return answer(session, args, bridge, result);
  } catch (error) {
    if (!(error instanceof BridgeTimeoutError)) throw error;
    await endBridge(session, bridge);
    const told = `The bridge gave no answer within ${timeoutMs + OVERTIME_MS} ms and was ended; all variables are gone.`;
    return fail(failureText("Execution Timeout", told));
  }
}

async function start(session: Session, projectDir: string | undefined): Promise<BridgeMeta> {
  const { pythonSandbox } = await securitySettings();
  const folder = projectDir ?? (await realpath(process.cwd()));
  return startBridge(session, folder, await findPrograms(folder, pythonSandbox), pythonSandbox);
}

/** Runs the code. A call that is cancelled interrupts it. */
async function runIn(bridge: BridgeMeta, code: string, timeoutMs: number, signal: AbortSignal): Promise<ExecutionResult> {
  const interrupt = () => void ask(bridge, "interrupt", {}, OVERTIME_MS).catch(() => {});
  signal.throwIfAborted();
  signal.addEventListener("abort", interrupt, { once: true });
  try {
    const result = await ask(bridge, "execute", { code, timeout: timeoutMs / 1000 }, timeoutMs + OVERTIME_MS);
    return readExecution(result);
  } finally {
    signal.removeEventListener("abort", interrupt);
  }
}

function answer(session: Session, args: Arguments, bridge: BridgeMeta, result: ExecutionResult): ToolResult {
  const before = seen.get(session.folder);
  const count = (before?.count ?? 0) + 1;
  if (seen.size >= MAX_SESSIONS) seen.clear();
  seen.set(session.folder, { pid: bridge.pid, count });
  const notes = otherFolder(bridge, args.projectDir);
  if (before !== undefined && before.pid !== bridge.pid) {
    notes.push("the session's interpreter had ended, so this ran in a new one, without the earlier variables");
  }
  const text = executionText({ id: session.id, label: args.executionLabel, execution: count, notes }, result);
  const crashed = result.error?.type === "InterpreterExited" || result.error?.type === "InterpreterStartError";
  return crashed ? fail(text) : ok(text);
}

/** Who holds the session's lock, as far as it says. */
async function holderOf(session: Session): Promise<Holder> {
  const text = await readTextFile(join(session.folder, "session.lock"), { maxBytes: 4096 }).catch(() => undefined);
  try {
    const { pid, hostname: host, acquiredAt } = JSON.parse(text ?? "") as Record<string, unknown>;
    return {
      pid: typeof pid === "number" ? pid : undefined,
      host: typeof host === "string" ? host : undefined,
      since: typeof acquiredAt === "string" ? acquiredAt : undefined,
    };
  } catch {
    return { pid: process.pid, host: hostname(), since: undefined };
  }
}
