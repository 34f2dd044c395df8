/**
 * `OMC_DISABLE_TOOLS`: a comma list of groups whose tools are neither listed nor called. Names are trimmed, letter case
 * does not matter, unknown ones are ignored.
 */

/**
 * Group names and the tools they take away. A pattern ending in `*` stands for all names that begin so. The groups
 * without tools belonged to integrations that no longer have any; naming them is no mistake.
 */
const GROUPS: ReadonlyArray<{ names: readonly string[]; tools: readonly string[] }> = [
  { names: ["lsp"], tools: ["lsp_*"] },
  { names: ["ast"], tools: ["ast_grep_*"] },
  { names: ["python", "python-repl"], tools: ["python_repl"] },
  { names: ["state"], tools: ["state_*", "merge_readiness_*"] },
  { names: ["notepad"], tools: ["notepad_*"] },
  { names: ["memory", "project-memory"], tools: ["project_memory_*"] },
  { names: ["trace"], tools: ["trace_*", "session_search"] },
  { names: ["shared-memory"], tools: ["shared_memory_*"] },
  { names: ["deepinit", "deepinit-manifest"], tools: ["deepinit_manifest"] },
  { names: ["wiki"], tools: ["wiki_*"] },
  { names: ["skills"], tools: ["load_omc_skills_local", "load_omc_skills_global", "list_omc_skills"] },
  { names: ["interop", "codex", "gemini", "antigravity"], tools: [] },
];

/** Makes the test for one value of the variable; the value is read anew for every request. */
export function disabledBy(value: string | undefined): (tool: string) => boolean {
  const named = new Set((value ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const patterns = GROUPS.filter((group) => group.names.some((name) => named.has(name))).flatMap((group) => group.tools);
  return (tool) => patterns.some((pattern) => matches(pattern, tool));
}

function matches(pattern: string, tool: string): boolean {
  return pattern.endsWith("*") ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern;
}
