/** What a call of `python_repl` does. Only `execute` waits for other code of the session, and only it starts anything. */
import { stat } from "node:fs/promises";
import { cut } from "../../lib/cut.js";
import { allowedPath, RestrictedPathError } from "../../lib/tool-paths.js";
import { errorText } from "../error-text.js";
import { fail, ok, type ToolResult } from "../types.js";
import {
  ask,
  BridgeLostError,
  BridgeRefusedError,
  BridgeTimeoutError,
  BridgeUnreachableError,
} from "./bridge-client.js";
import { BridgeStartError, endBridge } from "./bridge-process.js";
import { readInterrupt, readMemory, readState, record } from "./bridge-results.js";
import { execute } from "./execute.js";
import { InterpreterError } from "./interpreter.js";
import { failureText, interruptText, resetText, restartedText, stateText } from "./result-text.js";
import { otherFolder, runningBridge } from "./running-bridge.js";
import { RuntimeFolderError } from "./runtime-folder.js";
import { openSession, type Session, SessionNameError } from "./session.js";

/** How long a bridge may take that answers at once unless something is wrong with it. */
const STATE_MS = 5_000;
const RESET_MS = 10_000;
const INTERRUPT_MS = 5_000;

export interface PythonArguments {
  action: "execute" | "interrupt" | "reset" | "get_state";
  researchSessionID: string;
  code?: string | undefined;
  executionLabel?: string | undefined;
  executionTimeout?: number | undefined;
  queueTimeout?: number | undefined;
  projectDir?: string | undefined;
}

/** A `projectDir` that cannot be worked in. */
class ProjectDirError extends Error {
  override name = "ProjectDirError";
}

export async function callPython(args: PythonArguments, signal: AbortSignal): Promise<ToolResult> {
  const { action, researchSessionID: id, code } = args;
  try {
    if (action === "execute" && (code === undefined || code.trim() === "")) {
      return fail(failureText("Missing Code", "The action execute needs code; nothing was run."));
    }
    const session = await openSession(id);
    const projectDir = args.projectDir === undefined ? undefined : await usableFolder(args.projectDir);
    switch (action) {
      case "execute":
        return await execute(session, { ...args, code: code as string, projectDir }, signal);
      case "get_state":
        return await getState(session, projectDir);
      case "reset":
        return await reset(session, projectDir);
      case "interrupt":
        return await interrupt(session);
    }
  } catch (error) {
    signal.throwIfAborted();
    return failure(error);
  }
}

async function usableFolder(given: string): Promise<string> {
  const path = await allowedPath(given);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) return path;
  throw new ProjectDirError(`projectDir '${cut(given)}' is not an existing folder; name one, or leave it out`);
}

async function getState(session: Session, projectDir: string | undefined): Promise<ToolResult> {
  const bridge = await runningBridge(session);
  if (bridge === undefined) return ok(stateText(session.id, undefined, []));
  try {
    const state = readState(await ask(bridge, "get_state", {}, STATE_MS));
    return ok(stateText(session.id, state, otherFolder(bridge, projectDir)));
  } catch (error) {
    if (!(error instanceof BridgeTimeoutError)) throw error;
    return fail(failureText("State Retrieval Timeout", `The bridge gave no answer within ${STATE_MS} ms; reset ends it.`));
  }
}

async function reset(session: Session, projectDir: string | undefined): Promise<ToolResult> {
  const bridge = await runningBridge(session);
  if (bridge === undefined) return ok(resetText(session.id, undefined, ["no interpreter runs for this session"]));
  if (otherFolder(bridge, projectDir).length > 0) {
    await endBridge(session, bridge);
    return ok(restartedText(session.id, "projectDir is another folder than the session's"));
  }
  try {
    const { memory } = record(await ask(bridge, "reset", {}, RESET_MS));
    return ok(resetText(session.id, readMemory(memory), []));
  } catch (error) {
    await endBridge(session, bridge);
    return ok(restartedText(session.id, `the bridge did not answer (${errorText(error)})`));
  }
}

async function interrupt(session: Session): Promise<ToolResult> {
  const bridge = await runningBridge(session);
  const nothing = { status: "interrupt_requested", by: undefined, ms: 0 };
  if (bridge === undefined) return ok(interruptText(session.id, nothing));
  const began = performance.now();
  try {
    const result = readInterrupt(await ask(bridge, "interrupt", {}, INTERRUPT_MS));
    const ms = result.termination_ms ?? performance.now() - began;
    const by = result.running === false ? undefined : (result.terminated_by ?? "graceful");
    return ok(interruptText(session.id, { status: result.status, by, ms }));
  } catch {
    // A bridge that cannot hear is stopped from outside.
    const by = await endBridge(session, bridge, ["SIGINT", "SIGTERM", "SIGKILL"]);
    return ok(interruptText(session.id, { status: "force_killed", by, ms: performance.now() - began }));
  }
}

function failure(error: unknown): ToolResult {
  if (error instanceof SessionNameError) return fail(failureText("Invalid Session ID", `${error.message}.`));
  if (error instanceof ProjectDirError || error instanceof RestrictedPathError) {
    return fail(failureText("Validation Error", `${error.message}.`));
  }
  if (error instanceof BridgeStartError || error instanceof InterpreterError) {
    return fail(failureText("Bridge Startup Failed", `${error.message}.`, "Nothing was run."));
  }
  if (error instanceof BridgeLostError || error instanceof BridgeUnreachableError) {
    const advice = "Whether the code ran to its end is unknown; the next execute starts a new interpreter if need be.";
    return fail(failureText("Connection Error", `The connection to the interpreter broke: ${error.message}.`, advice));
  }
  const known = error instanceof RuntimeFolderError || error instanceof BridgeRefusedError;
  const kind = known || !(error instanceof Error) ? "" : ` (${(error as NodeJS.ErrnoException).code ?? error.name})`;
  return fail(failureText("Error", `Type: ${error instanceof Error ? error.name : "unknown"}`, `Message: ${errorText(error)}${known ? "" : kind}`));
}
