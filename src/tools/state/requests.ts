/** What each state tool does with its arguments. Loaded with the first call. */
import { resolveGateSessionId, resolveSessionId } from "../../lib/session-id.js";
import { resolveWorkspace } from "../../lib/workspace.js";
import type { ToolResult } from "../types.js";
import { clearEverywhere, clearSession } from "./clear-state.js";
import { callersGateSession, cancelGates } from "./gate.js";
import { GATE_MODE } from "./gate-file.js";
import { listAll, listInSession, statusInSession, statusOfAll, statusOfMode } from "./list-and-status.js";
import { migrateNonGit } from "./migrate.js";
import type { Mode } from "./modes.js";
import { readAll, readSession } from "./read-state.js";
import { answering } from "./text.js";
import { buildFields, partition, writeState } from "./write-state.js";

/** Which project and whose state. */
interface Place {
  workingDirectory?: string | undefined;
  session_id?: string | undefined;
}

/** The session whose state is meant. Readiness gates are kept under a default of their own. */
function sessionOf(mode: Mode, given: string | undefined): string | undefined {
  return mode === GATE_MODE && given === undefined ? resolveGateSessionId(undefined) : resolveSessionId(given);
}

export function read(args: Place & { mode: Mode }): Promise<ToolResult> {
  return answering(`Error reading state for ${args.mode}`, async () => {
    const session = sessionOf(args.mode, args.session_id);
    const ws = await resolveWorkspace(args.workingDirectory);
    return session === undefined ? readAll(ws, args.mode) : readSession(ws, args.mode, session);
  });
}

/** `isNamed` tells arguments that are written under their own names from unknown ones, which are too. */
export function write(
  args: Place & { mode: Mode; state?: Record<string, unknown> | undefined; [field: string]: unknown },
  isNamed: (field: string) => boolean,
  signal: AbortSignal,
): Promise<ToolResult> {
  return answering(`Error writing state for ${args.mode}`, async () => {
    const { mode, workingDirectory, session_id, state = {}, ...fields } = args;
    const [named, unknown] = partition(fields, isNamed);
    const request = { mode, session: resolveSessionId(session_id), fields: buildFields(named, unknown, state) };
    return writeState(await resolveWorkspace(workingDirectory), request, signal);
  });
}

export function clear(args: Place & { mode: Mode }, signal: AbortSignal): Promise<ToolResult> {
  return answering(`Error clearing state for ${args.mode}`, async () => {
    const ws = await resolveWorkspace(args.workingDirectory);
    if (args.mode === GATE_MODE) return cancelGates(ws, args.session_id, signal);
    const session = resolveSessionId(args.session_id);
    return session === undefined ? clearEverywhere(ws, args.mode, signal) : clearSession(ws, args.mode, session, signal);
  });
}

export function listActive(args: Place & { all?: boolean | undefined }): Promise<ToolResult> {
  return answering("Error listing active modes", async () => {
    const given = args.session_id ?? (args.all === true ? "" : undefined);
    const session = resolveSessionId(given);
    const ws = await resolveWorkspace(args.workingDirectory);
    if (session === undefined) return listAll(ws);
    return listInSession(ws, session, given === undefined ? callersGateSession() : session);
  });
}

export function status(args: Place & { mode?: Mode | undefined }): Promise<ToolResult> {
  return answering("Error getting status", async () => {
    const ws = await resolveWorkspace(args.workingDirectory);
    if (args.mode === undefined) {
      const session = resolveSessionId(args.session_id);
      return statusOfAll(ws, session, args.session_id === undefined ? callersGateSession() : session);
    }
    const session = sessionOf(args.mode, args.session_id);
    return session === undefined ? statusOfMode(ws, args.mode) : statusInSession(ws, args.mode, session);
  });
}

export function migrate(workingDirectory: string | undefined, session: string): Promise<ToolResult> {
  return answering("Error migrating non-git state", async () =>
    JSON.stringify(await migrateNonGit(workingDirectory, session), null, 2),
  );
}
