/**
 * What happened in a session: the trace that hooks record of its agents, tools and skills (`trace_timeline`,
 * `trace_summary`), and a search through what was said in sessions (`session_search`). All three only read.
 */
import * as z from "zod";
import { errorText } from "./error-text.js";
import { defineTool, fail, ok } from "./types.js";
import { workingDirectory } from "./working-directory.js";

const MAX_SHOWN_EVENTS = 2000;
const MAX_RESULTS = 500;
const MAX_CONTEXT = 2000;

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const traceSession = z.string().optional().describe("Default: newest.");

export const traceTimelineTool = defineTool({
  name: "trace_timeline",
  description: "Returns a session's recorded events, in order.",
  schema: z.object({
    sessionId: traceSession,
    filter: z.enum(["all", "hooks", "skills", "agents", "keywords", "tools", "modes"]).optional().describe("Default: all."),
    last: z.int().min(1).max(MAX_SHOWN_EVENTS).optional().describe("From the end."),
    workingDirectory,
  }),
  annotations,
  async handler({ sessionId, filter = "all", last, workingDirectory }, { signal }) {
    try {
      const { readTrace } = await import("./trace/replay-file.js");
      const { timeline } = await import("./trace/timeline.js");
      return ok(timeline(await readTrace(sessionId, workingDirectory, signal), filter, last ?? MAX_SHOWN_EVENTS, last !== undefined));
    } catch (error) {
      return fail(`Error reading trace: ${errorText(error)}`);
    }
  },
});

export const traceSummaryTool = defineTool({
  name: "trace_summary",
  description: "Returns a session's totals: agents, skills, tools, files.",
  schema: z.object({ sessionId: traceSession, workingDirectory }),
  annotations,
  async handler({ sessionId, workingDirectory }, { signal }) {
    try {
      const { readTrace } = await import("./trace/replay-file.js");
      const { summary } = await import("./trace/summary.js");
      return ok(summary(await readTrace(sessionId, workingDirectory, signal)));
    } catch (error) {
      return fail(`Error generating summary: ${errorText(error)}`);
    }
  },
});

export const sessionSearchTool = defineTool({
  name: "session_search",
  description:
    "Searches past sessions, also thinking and tool calls, for texts with all words. " +
    "Returns JSON excerpts, newest first, with 1-based lines.",
  schema: z.object({
    query: z.string().min(1, "a text (Query cannot be empty)").max(1000).describe("Words."),
    limit: z.int().min(1).max(MAX_RESULTS).optional().describe("Default: 10."),
    sessionId: z.string().optional().describe("Only this one."),
    since: z.string().optional().describe("30m, 12h, 7d, 2w or a date."),
    project: z.string().optional().describe("current (default), all, or part of a path."),
    caseSensitive: z.boolean().optional().describe("Default: false."),
    contextChars: z.int().min(20).max(MAX_CONTEXT).optional().describe("Either side. Default: 120."),
    workingDirectory,
  }),
  annotations,
  async handler(request, { signal }) {
    try {
      const { searchSessions } = await import("./session-search/search.js");
      return ok(JSON.stringify(await searchSessions(request, signal), null, 2));
    } catch (error) {
      return fail(`Error searching session history: ${errorText(error)}`);
    }
  },
});

export const traceTools = [traceTimelineTool, traceSummaryTool, sessionSearchTool];
