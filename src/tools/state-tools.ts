/**
 * The state family: what a session's modes (autopilot, ralph, team, …) are doing, kept in small JSON
 * files that hooks read too. Six tools; the work is done in `state/`.
 */
import * as z from "zod";
import { resolveGateSessionId, resolveSessionId } from "../lib/session-id.js";
import { resolveWorkspace } from "../lib/workspace.js";
import { clearEverywhere, clearSession } from "./state/clear-state.js";
import { callersGateSession, cancelGates } from "./state/gate.js";
import { GATE_MODE } from "./state/gate-file.js";
import { listAll, listInSession, statusInSession, statusOfAll, statusOfMode } from "./state/list-and-status.js";
import { migrateNonGit } from "./state/migrate.js";
import { type Mode, MODES, WRITABLE_MODES } from "./state/modes.js";
import { readAll, readSession } from "./state/read-state.js";
import { answering } from "./state/text.js";
import { buildFields, partition, writeState } from "./state/write-state.js";
import { defineTool } from "./types.js";
import { workingDirectory } from "./working-directory.js";

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const ADDITIVE = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const DESTRUCTIVE = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

const sessionId = z.string().max(256).describe('Default: OMC_SESSION_ID. "" for none.');
const anyMode = z.enum(MODES);

/** The session whose state is meant. Readiness gates are kept under a default of their own. */
function sessionOf(mode: Mode, given: string | undefined): string | undefined {
  return mode === GATE_MODE && given === undefined ? resolveGateSessionId(undefined) : resolveSessionId(given);
}

const stateRead = defineTool({
  name: "state_read",
  description: "Returns a mode's state as JSON: the session's, or without a session the shared one and those of all sessions.",
  schema: z.object({
    mode: anyMode.describe("Mode to read."),
    workingDirectory,
    session_id: sessionId.optional(),
  }),
  annotations: READ_ONLY,
  handler: (args) =>
    answering(`Error reading state for ${args.mode}`, async () => {
      const session = sessionOf(args.mode, args.session_id);
      const ws = await resolveWorkspace(args.workingDirectory);
      return session === undefined ? readAll(ws, args.mode) : readSession(ws, args.mode, session);
    }),
});

/** Modes that can still be read and cleared. */
const RETIRED: readonly unknown[] = ["ultrawork", "ultraqa"];

const writableMode = z.enum(WRITABLE_MODES, {
  error: ({ input }) =>
    RETIRED.includes(input) ? `a mode in use; ${input} is retired, it can only be read and cleared` : undefined,
});

/** Arguments that are written under their own names. */
const stateWriteFields = {
  active: z.boolean().optional().describe("Whether it runs."),
  iteration: z.number().optional().describe("Current round."),
  max_iterations: z.number().optional().describe("Rounds at most."),
  current_phase: z.string().max(200).optional().describe("Current phase."),
  task_description: z.string().max(2000).optional().describe("The task."),
  plan_path: z.string().max(500).optional().describe("Path of the plan."),
  started_at: z.string().max(100).optional().describe("Start, ISO 8601."),
  completed_at: z.string().max(100).optional().describe("End, ISO 8601."),
  error: z.string().max(2000).optional().describe("What went wrong."),
};

const stateWrite = defineTool({
  name: "state_write",
  description:
    "Merges fields into a mode's state, to start, advance or pause it. Fields not given stay; null in state removes one; " +
    "other arguments become fields too.",
  schema: z.looseObject({
    mode: writableMode.describe("Mode to write."),
    ...stateWriteFields,
    state: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("More fields, any JSON: at most 100 keys, 10 levels, 1 MiB. Named arguments win."),
    workingDirectory,
    session_id: sessionId.optional(),
  }),
  annotations: ADDITIVE,
  handler: (args, { signal }) =>
    answering(`Error writing state for ${args.mode}`, async () => {
      const { mode, workingDirectory: folder, session_id, state = {}, ...fields } = args;
      const [named, unknown] = partition(fields, (name) => Object.hasOwn(stateWriteFields, name));
      const request = { mode, session: resolveSessionId(session_id), fields: buildFields(named, unknown, state) };
      return writeState(await resolveWorkspace(folder), request, signal);
    }),
});

const stateClear = defineTool({
  name: "state_clear",
  description:
    "Cancels a mode: removes its state, the session's and nobody's, or without a session all, and signals the Stop hook.",
  schema: z.object({
    mode: anyMode.describe("Mode to clear."),
    workingDirectory,
    session_id: sessionId.optional(),
  }),
  annotations: DESTRUCTIVE,
  handler: (args, { signal }) =>
    answering(`Error clearing state for ${args.mode}`, async () => {
      const ws = await resolveWorkspace(args.workingDirectory);
      if (args.mode === GATE_MODE) return cancelGates(ws, args.session_id, signal);
      const session = resolveSessionId(args.session_id);
      return session === undefined ? clearEverywhere(ws, args.mode, signal) : clearSession(ws, args.mode, session, signal);
    }),
});

const stateListActive = defineTool({
  name: "state_list_active",
  description: "Returns the active modes: of a session, or of all with the sessions of each.",
  schema: z.object({
    workingDirectory,
    session_id: sessionId.optional(),
    all: z.boolean().optional().describe("All sessions. Default: false."),
  }),
  annotations: READ_ONLY,
  handler: (args) =>
    answering("Error listing active modes", async () => {
      const given = args.session_id ?? (args.all === true ? "" : undefined);
      const session = resolveSessionId(given);
      const ws = await resolveWorkspace(args.workingDirectory);
      if (session === undefined) return listAll(ws);
      return listInSession(ws, session, given === undefined ? callersGateSession() : session);
    }),
});

const stateGetStatus = defineTool({
  name: "state_get_status",
  description: "Returns whether a mode is active, and its state's path and beginning; without mode, a line for each.",
  schema: z.object({
    mode: anyMode.optional().describe("Default: all."),
    workingDirectory,
    session_id: sessionId.optional(),
  }),
  annotations: READ_ONLY,
  handler: (args) =>
    answering("Error getting status", async () => {
      const ws = await resolveWorkspace(args.workingDirectory);
      if (args.mode === undefined) {
        const session = resolveSessionId(args.session_id);
        return statusOfAll(ws, session, args.session_id === undefined ? callersGateSession() : session);
      }
      const session = sessionOf(args.mode, args.session_id);
      return session === undefined ? statusOfMode(ws, args.mode) : statusInSession(ws, args.mode, session);
    }),
});

const stateMigrateNonGit = defineTool({
  name: "state_migrate_non_git",
  description:
    "Copies a session's states from the old .omc of a folder without git to their new place; overwrites none. Returns JSON: " +
    "copied, skipped, rejected.",
  schema: z.object({
    workingDirectory: z.string().optional().describe("Folder with the old .omc. Default: server's."),
    session_id: z.string().max(256).describe("Session to copy."),
  }),
  annotations: ADDITIVE,
  handler: (args) =>
    answering("Error migrating non-git state", async () =>
      JSON.stringify(await migrateNonGit(args.workingDirectory, args.session_id), null, 2),
    ),
});

export const stateTools = [stateRead, stateWrite, stateClear, stateListActive, stateGetStatus, stateMigrateNonGit];
