/**
 * Search and replace by the structure of code. The matching is done by a process of its own, `src/ast/engine.ts`,
 * with the native package `@ast-grep/napi` if the user has it; here are the tools as the client sees them.
 */
import * as z from "zod";
import { LANGUAGES } from "../ast/languages.js";
import { defineTool } from "./types.js";

const DEFAULT_CONTEXT = 2;
const DEFAULT_RESULTS = 20;

const pattern = z.string().describe("One whole piece of code.");
const language = z.enum(LANGUAGES).describe("Of the files.");
const path = z.string().optional().describe("Default: .");

export const astGrepSearchTool = defineTool({
  name: "ast_grep_search",
  description:
    "Finds code by structure; returns path:line (1-based) and context. $X is one node, $$$X any number: f($X, $$$REST), function $F($$$A) { $$$BODY }. Skips ignored files.",
  schema: z.object({
    pattern,
    language,
    path,
    context: z.int().min(0).max(10).optional().describe("Lines. Default: 2."),
    maxResults: z.int().min(1).max(100).optional().describe("Default: 20."),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async handler({ path: start = ".", context = DEFAULT_CONTEXT, maxResults = DEFAULT_RESULTS, ...rest }, { signal }) {
    const { runSearch } = await import("./ast/search.js");
    return runSearch({ ...rest, path: start, context, maxResults }, signal);
  },
});

export const astGrepReplaceTool = defineTool({
  name: "ast_grep_replace",
  description: "Rewrites all matches of a pattern as in ast_grep_search. Only previews unless dryRun is false.",
  schema: z.object({
    pattern,
    replacement: z.string().describe("May use its variables. Empty deletes."),
    language,
    path,
    dryRun: z.boolean().optional().describe("Default: true."),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async handler({ path: start = ".", dryRun = true, ...rest }, { signal }) {
    const { runReplace } = await import("./ast/replace.js");
    return runReplace({ ...rest, path: start, dryRun }, signal);
  },
});

export const astTools = [astGrepSearchTool, astGrepReplaceTool];
