/**
 * Search and replace by the structure of code. The matching is done by a process of its own, `src/ast/engine.ts`,
 * with the native package `@ast-grep/napi` if the user has it; here are the tools as the client sees them.
 */
import * as z from "zod";
import { LANGUAGES } from "../ast/languages.js";
import { defineTool } from "./types.js";

const DEFAULT_CONTEXT = 2;
const DEFAULT_RESULTS = 20;

const pattern = z.string().max(10_000).describe("One whole piece of code; a definition with its body.");
const language = z.enum(LANGUAGES).describe("Only its files are searched.");
const path = z.string().max(4_096).optional().describe("File or folder. Default: server's folder.");

export const astGrepSearchTool = defineTool({
  name: "ast_grep_search",
  description:
    "Finds code by structure; returns path:line (1-based) with context. $NAME is any node, $$$NAME any number: console.log($$$ARGS), function $F($$$ARGS) { $$$BODY }. Ignored files are left out.",
  schema: z.object({
    pattern,
    language,
    path,
    context: z.int().min(0).max(10).optional().describe("Lines around a match. Default: 2."),
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
  description: "Rewrites code that matches a pattern of ast_grep_search, in all files. Only previews unless dryRun is false.",
  schema: z.object({
    pattern,
    replacement: z.string().max(100_000).describe("May use the pattern's variables. Empty deletes."),
    language,
    path,
    dryRun: z.boolean().optional().describe("false writes. Default: true."),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async handler({ path: start = ".", dryRun = true, ...rest }, { signal }) {
    const { runReplace } = await import("./ast/replace.js");
    return runReplace({ ...rest, path: start, dryRun }, signal);
  },
});

export const astTools = [astGrepSearchTool, astGrepReplaceTool];
