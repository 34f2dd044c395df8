/**
 * The readiness gate: before a change is merged, a person answers questions about it, so that somebody can explain it.
 * The gate only advises. Five tools in their order of use; the work is done in `merge-readiness/`, and the gate is kept
 * as the state of mode merge-readiness.
 */
import * as z from "zod";
import { resolveGateSessionId } from "../lib/session-id.js";
import type { Workspace } from "../lib/workspace.js";
import { answering } from "./state/text.js";
import { defineTool, type ToolResult } from "./types.js";
import { workingDirectory } from "./working-directory.js";

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const ADDITIVE = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

/** Which gate is meant. */
const place = {
  workingDirectory,
  session_id: z.string().optional().describe("Default: own."),
};

interface Place {
  workingDirectory?: string | undefined;
  session_id?: string | undefined;
}

/** Runs `work` on the gate that a call means; what it throws becomes an error answer. */
function onGate(
  { workingDirectory, session_id }: Place,
  work: (ws: Workspace, session: string | undefined) => Promise<ToolResult>,
): Promise<ToolResult> {
  return answering("Merge-readiness error", async () => {
    const session = resolveGateSessionId(session_id);
    const { resolveWorkspace } = await import("../lib/workspace.js");
    return work(await resolveWorkspace(workingDirectory), session);
  });
}

const start = defineTool({
  name: "merge_readiness_start",
  description: "Opens a gate on a person's grasp of a change.",
  schema: z.object({
    summary: z.string().max(2000).describe("Change; flags --quick --deep --from-diff --from-artifacts"),
    baseRef: z
      .string()
      .max(200)
      .regex(/^[\w./@{}~^:][\w./@{}~^:-]*$/)
      .optional()
      .describe("Default: upstream, origin/HEAD."),
    ...place,
  }),
  annotations: ADDITIVE,
  handler: ({ summary, baseRef, ...args }, { signal }) =>
    onGate(args, async (ws, session) => {
      const { startGate } = await import("./merge-readiness/start.js");
      return startGate(ws, session, { summary, baseRef }, signal);
    }),
});

const id = z.string().max(100);
const passage = (what: string) => z.string().max(10_000).describe(what);

const question = z.object({
  id,
  dimension: z.enum(["why", "change", "tradeoff", "risk", "team"]),
  stem: z.string().max(2000),
  options: z.array(z.object({ id, text: z.string().max(1000) })).min(2).max(8),
  correctOptionId: id,
  rationale: z.string().max(2000).optional(),
});

const setContent = defineTool({
  name: "merge_readiness_set_content",
  description: "Sets texts and questions. Returns the first id.",
  schema: z.object({
    why: passage("Purpose."),
    whatChanged: passage("Effect."),
    tradeoffs: passage("Choices."),
    risksConsidered: passage("Risks."),
    teamUnderstanding: passage("For all."),
    questions: z.array(question).max(8).describe("quick 3 (why, change, risk), default 5, deep 5-8."),
    ...place,
  }),
  annotations: ADDITIVE,
  handler: ({ workingDirectory, session_id, ...content }, { signal }) =>
    onGate({ workingDirectory, session_id }, async (ws, session) => {
      const { setContent: set } = await import("./merge-readiness/content.js");
      return set(ws, session, content, signal);
    }),
});

const recordAnswer = defineTool({
  name: "merge_readiness_record_answer",
  description: "Records the person's answer, never yours; says what is next.",
  schema: z.object({
    questionId: id.describe("Pending."),
    optionId: id.describe("Chosen."),
    ...place,
  }),
  annotations: ADDITIVE,
  handler: ({ questionId, optionId, ...args }, { signal }) =>
    onGate(args, async (ws, session) => {
      const { recordAnswer: record } = await import("./merge-readiness/answer.js");
      return record(ws, session, { questionId, optionId }, signal);
    }),
});

const report = defineTool({
  name: "merge_readiness_report",
  description: "Returns the gate as a report in Markdown.",
  schema: z.object(place),
  annotations: READ_ONLY,
  handler: (args) =>
    onGate(args, async (ws, session) => {
      const { reportGate } = await import("./merge-readiness/report.js");
      return reportGate(ws, session);
    }),
});

const cancel = defineTool({
  name: "merge_readiness_cancel",
  description: "Cancels the gate and keeps it as a record.",
  schema: z.object(place),
  annotations: { ...ADDITIVE, idempotentHint: true },
  handler: (args, { signal }) =>
    onGate(args, async (ws, session) => {
      const { cancelGate } = await import("./merge-readiness/cancel.js");
      return cancelGate(ws, session, signal);
    }),
});

export const mergeReadinessTools = [start, setContent, recordAnswer, report, cancel];
