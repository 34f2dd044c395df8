/**
 * Families load when they are first called. Shown on the built bundle: the modules that a family loads late are broken
 * in a copy of it, one family at a time or all of them, and the rest of the server must not notice.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { makeProject } from "../test-support/project.js";
import { bundlePath, startServer, type TestServer } from "../test-support/server.js";

const position = { file: "a.ts", line: 1, character: 0 };

/** Module of the bundle that is broken, and a call that needs it. */
const LATE: readonly [module: string, tool: string, args: Record<string, unknown>][] = [
  ["node_modules/vscode-jsonrpc/lib/node/main.js", "lsp_hover", position],
  ["src/lsp/language-server.ts", "lsp_hover", position],
  ["node_modules/jsonc-parser/lib/esm/main.js", "ast_grep_search", { pattern: "a", language: "typescript" }],
  ["src/tools/ast/search.ts", "ast_grep_search", { pattern: "a", language: "typescript" }],
  ["src/tools/python-repl/call.ts", "python_repl", { action: "get_state", researchSessionID: "x" }],
  ["src/tools/merge-readiness/report.ts", "merge_readiness_report", {}],
  ["src/tools/trace/timeline.ts", "trace_timeline", {}],
  ["src/tools/session-search/search.ts", "session_search", { query: "x" }],
  ["src/tools/wiki/wiki.ts", "wiki_list", {}],
  ["src/tools/deepinit/actions.ts", "deepinit_manifest", { action: "check" }],
  ["src/tools/skills/listing.ts", "list_omc_skills", {}],
  ["src/tools/state/requests.ts", "state_get_status", {}],
  ["src/tools/project-memory/memory-file.ts", "project_memory_read", {}],
  ["src/tools/shared-memory/store.ts", "shared_memory_list", {}],
];

/**
 * What the server loads of the modules that calls load too. Each costs at every start and in every build: take one in
 * only when listing the tools needs it.
 */
const EARLY = [
  "node_modules/@modelcontextprotocol/server/dist/chunk-vYduTEsO.mjs",
  "node_modules/@modelcontextprotocol/server/dist/dialects-CDpMbily.mjs",
  "src/ast/languages.ts",
  "src/lib/cut.ts",
  "src/lib/session-id.ts",
  "src/lib/workspace-error.ts",
  "src/mcp/log.ts",
  "src/mcp/plugin-version.ts",
  "src/mcp/stop-hooks.ts",
  "src/tools/error-text.ts",
  "src/tools/notepad/content.ts",
  "src/tools/notepad/document.ts",
  "src/tools/notepad/entries.ts",
  "src/tools/project-memory/lists.ts",
  "src/tools/project-memory/memory.ts",
  "src/tools/shared-memory/names.ts",
  "src/tools/state/modes.ts",
  "src/tools/state/text.ts",
  "src/tools/types.ts",
  "src/tools/wiki/page.ts",
  "src/tools/wiki/values.ts",
];

let bundle: string;
beforeAll(async () => {
  bundle = await readFile(bundlePath(), "utf8");
});

/** The bundle with a fault at the beginning of a module. @throws {Error} when the module is not loaded late. */
function broken(text: string, module: string): string {
  const escaped = module.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  // How esbuild wraps a module that is evaluated when first needed.
  const opening = new RegExp(String.raw`(\n {2}"(?:\.\./|src/)*${escaped}"\([^)]*\) \{)`);
  if (!opening.test(text)) throw new Error(`${module}: not in the bundle, or evaluated at the start`);
  return text.replace(opening, '$1 throw new Error("cannot be loaded");');
}

async function start(text: string): Promise<TestServer> {
  const { root, home, folder } = await makeProject();
  const path = join(folder, "mcp-server.cjs");
  await writeFile(path, text);
  await writeFile(join(root, "a.ts"), "export {};\n");
  return startServer({ root, home, bundle: path, env: { OMCBUILD_FRONT: "0" } }); // the front would list without the server
}

async function names(server: TestServer): Promise<string[]> {
  const { result } = await server.request("tools/list");
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

/** How esbuild wraps the modules that are evaluated when first needed, of either kind, with their names. */
const WRAPPED = /\n {2}"([^"\n]+)"\([^)\n]*\) \{$/gm;

test("listing loads none of what calls load, but for what it needs itself", async () => {
  const whole = await names(await start(bundle));
  const late: string[] = [];
  const text = bundle.replace(WRAPPED, (opening, module: string) => {
    if (EARLY.some((early) => module === early || module === `src/${early}`)) return opening;
    late.push(module);
    return `${opening} throw new Error("${module} is loaded too early");`;
  });
  for (const [module] of LATE) expect(late.some((each) => each.endsWith(module)), module).toBe(true);
  expect(await names(await start(text))).toEqual(whole);
});

describe.each(LATE)("without %s", (module, tool, args) => {
  test(`only ${tool} and its family fail, each time`, async () => {
    const server = await start(broken(bundle, module));
    for (let turn = 0; turn < 2; turn++) {
      const { isError, text } = await server.call(tool, args);
      expect(isError).toBe(true);
      expect(text).not.toMatch(/\n\s+at /);
    }
    expect((await server.call("notepad_stats")).isError).toBe(false);
    expect((await server.closeInput()).code).toBe(0);
  });
});
