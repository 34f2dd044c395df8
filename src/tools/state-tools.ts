/**
 * The state family: what a session's modes (autopilot, ralph, team, …) are doing, kept in small JSON
 * files that hooks read too. Six tools; the work is done in `state/`, which is loaded with the first call.
 */
import * as z from "zod";
import { MODES, WRITABLE_MODES } from "./state/modes.js";
import { defineTool } from "./types.js";
import { workingDirectory } from "./working-directory.js";

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const ADDITIVE = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const DESTRUCTIVE = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

const sessionId = z.string().max(256).describe('Default: OMC_SESSION_ID. "" for none.');
const anyMode = z.enum(MODES);

const stateRead = defineTool({
  name: "state_read",
  description: "Returns a mode's state as JSON: the session's, or without a session the shared one and those of all sessions.",
  schema: z.object({
    mode: anyMode.describe("Mode to read."),
    workingDirectory,
    session_id: sessionId.optional(),
  }),
  annotations: READ_ONLY,
  handler: async (args) => (await import("./state/requests.js")).read(args),
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
  handler: async (args, { signal }) =>
    (await import("./state/requests.js")).write(args, (field) => Object.hasOwn(stateWriteFields, field), signal),
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
  handler: async (args, { signal }) => (await import("./state/requests.js")).clear(args, signal),
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
  handler: async (args) => (await import("./state/requests.js")).listActive(args),
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
  handler: async (args) => (await import("./state/requests.js")).status(args),
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
  handler: async (args) => (await import("./state/requests.js")).migrate(args.workingDirectory, args.session_id),
});

export const stateTools = [stateRead, stateWrite, stateClear, stateListActive, stateGetStatus, stateMigrateNonGit];
