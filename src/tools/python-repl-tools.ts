/**
 * `python_repl`: Python that remembers. Each session has a bridge, a process of its own (`src/python/`), which runs the
 * code in an interpreter behind what the operating system can enforce; what happens here is in `python-repl/`.
 */
import * as z from "zod";
import { defineTool } from "./types.js";

const HOUR_MS = 3_600_000;
const milliseconds = (what: string) => z.number().gt(0).max(HOUR_MS).optional().describe(`Milliseconds. ${what}`);

export const pythonReplTool = defineTool({
  name: "python_repl",
  description:
    "Runs Python in a session that keeps its variables; returns its output and the last value. The standard " +
    "library works; other packages if the project's .venv or python3 has them. No network; writes only beneath " +
    "projectDir and TMPDIR, if the system can enforce it (get_state tells).",
  schema: z.object({
    action: z
      .enum(["execute", "interrupt", "reset", "get_state"])
      .describe("interrupt keeps variables, reset does not."),
    researchSessionID: z.string().min(1).max(255).describe("Session name."),
    code: z.string().optional().describe("For execute."),
    executionLabel: z.string().max(500).optional().describe("Shown back."),
    executionTimeout: milliseconds("Default: 300000."),
    queueTimeout: milliseconds("Wait for the session's other code. Default: 30000."),
    projectDir: z.string().optional().describe("Where a new session works. Default: server's."),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  async handler(args, { signal }) {
    const { callPython } = await import("./python-repl/call.js");
    return callPython(args, signal);
  },
});

export const pythonReplTools = [pythonReplTool];
