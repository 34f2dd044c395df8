/**
 * The state family: what a session's modes (autopilot, ralph, team, …) are doing, kept in small JSON
 * files that hooks read too. Six tools; the work is done in `state/`.
 */
import * as z from "zod";
import { resolveSessionId } from "../lib/session-id.js";
import { resolveWorkspace } from "../lib/workspace.js";
import { clearEverywhere, clearSession } from "./state/clear-state.js";
import { cancelGates } from "./state/gate.js";
import { listAll, listInSession, statusInSession, statusOfAll, statusOfMode } from "./state/list-and-status.js";
import { migrateNonGit } from "./state/migrate.js";
import { MODES, WRITABLE_MODES } from "./state/modes.js";
import { readAll, readSession } from "./state/read-state.js";
import { answering } from "./state/text.js";
import { buildFields, partition, writeState } from "./state/write-state.js";
import { defineTool } from "./types.js";

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const ADDITIVE = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const DESTRUCTIVE = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

const workingDirectory = z
  .string()
  .max(4096)
  .optional()
  .describe("Folder in the project to work on, also in another worktree of it. Default: where the server was started.");
const sessionId = z
  .string()
  .max(256)
  .describe('Session the call is for. Default: OMC_SESSION_ID, else none. "" means no session on purpose.');
const anyMode = z.enum(MODES);

const stateRead = defineTool({
  name: "state_read",
  description:
    "Returns the stored state of a mode as JSON. With a session, that session's state; without, the shared state and " +
    "those of all sessions. Use state_list_active first when you do not know what is running.",
  schema: z.object({
    mode: anyMode.describe("Mode to read."),
    workingDirectory,
    session_id: sessionId.optional(),
  }),
  annotations: READ_ONLY,
  handler: (args) =>
    answering(`Error reading state for ${args.mode}`, async () => {
      const session = resolveSessionId(args.session_id);
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
  active: z.boolean().optional().describe("Whether the mode is running."),
  iteration: z.number().optional().describe("Number of the current round."),
  max_iterations: z.number().optional().describe("Number of rounds after which the mode stops."),
  current_phase: z.string().max(200).optional().describe("Name of the current phase."),
  task_description: z.string().max(2000).optional().describe("What is being worked on."),
  plan_path: z.string().max(500).optional().describe("Path of the plan file."),
  started_at: z.string().max(100).optional().describe("When the mode started, ISO 8601."),
  completed_at: z.string().max(100).optional().describe("When the mode ended, ISO 8601."),
  error: z.string().max(2000).optional().describe("What went wrong, when it did."),
};

const stateWrite = defineTool({
  name: "state_write",
  description:
    "Merges fields into the state of a mode and returns the result. Fields that are not given stay; null in state removes " +
    "one. Other arguments become fields too. Use it to start, advance or pause a mode.",
  schema: z.looseObject({
    mode: writableMode.describe("Mode to write."),
    ...stateWriteFields,
    state: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Further fields, any JSON: at most 100 keys, 10 levels, 1 MiB. Named arguments win; null removes a field."),
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
    "Ends a mode: removes its state, signals the Stop hook, and says what was removed. With a session, what is that " +
    "session's or nobody's; without, of all sessions. Unreadable files are moved aside. Use it to cancel a mode.",
  schema: z.object({
    mode: anyMode.describe("Mode to clear."),
    workingDirectory,
    session_id: sessionId.optional(),
  }),
  annotations: DESTRUCTIVE,
  handler: (args, { signal }) =>
    answering(`Error clearing state for ${args.mode}`, async () => {
      const session = resolveSessionId(args.session_id);
      const ws = await resolveWorkspace(args.workingDirectory);
      if (args.mode === "merge-readiness") return cancelGates(ws, session, signal);
      return session === undefined ? clearEverywhere(ws, args.mode, signal) : clearSession(ws, args.mode, session, signal);
    }),
});

const stateListActive = defineTool({
  name: "state_list_active",
  description:
    "Returns the modes that are active: in one session, or over all with the sessions of each. Use it before starting or " +
    "cancelling a mode.",
  schema: z.object({
    workingDirectory,
    session_id: sessionId.optional(),
    all: z.boolean().optional().describe("true: over all sessions, whatever OMC_SESSION_ID says. Default false."),
  }),
  annotations: READ_ONLY,
  handler: (args) =>
    answering("Error listing active modes", async () => {
      const given = args.session_id ?? (args.all === true ? "" : undefined);
      const session = resolveSessionId(given);
      const ws = await resolveWorkspace(args.workingDirectory);
      return session === undefined ? listAll(ws) : listInSession(ws, session);
    }),
});

const stateGetStatus = defineTool({
  name: "state_get_status",
  description:
    "Returns whether a mode is active, where its state file is and how it begins; without mode, one line for every mode. " +
    "Use state_read for the whole state.",
  schema: z.object({
    mode: anyMode.optional().describe("Mode to look at. Default: all."),
    workingDirectory,
    session_id: sessionId.optional(),
  }),
  annotations: READ_ONLY,
  handler: (args) =>
    answering("Error getting status", async () => {
      const session = resolveSessionId(args.session_id);
      const ws = await resolveWorkspace(args.workingDirectory);
      if (args.mode === undefined) return statusOfAll(ws, session);
      return session === undefined ? statusOfMode(ws, args.mode) : statusInSession(ws, args.mode, session);
    }),
});

const stateMigrateNonGit = defineTool({
  name: "state_migrate_non_git",
  description:
    "Copies a session's states from the .omc of a folder without git to where such sessions are kept now, and returns JSON " +
    "with what was copied, skipped and rejected. Never overwrites. Use it once, when old state is not found.",
  schema: z.object({
    workingDirectory: z
      .string()
      .max(4096)
      .optional()
      .describe("Folder with the old .omc, inside the server's working directory. Default: that directory."),
    session_id: z.string().max(256).describe("Session whose states to copy."),
  }),
  annotations: ADDITIVE,
  handler: (args) =>
    answering("Error migrating non-git state", async () =>
      JSON.stringify(await migrateNonGit(args.workingDirectory, args.session_id), null, 2),
    ),
});

export const stateTools = [stateRead, stateWrite, stateClear, stateListActive, stateGetStatus, stateMigrateNonGit];
