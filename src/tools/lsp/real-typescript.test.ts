import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { writeFiles } from "../../test-support/fake-project.js";
import { descendantsOf, waitUntilGone } from "../../test-support/processes.js";
import { makeProject, type Project } from "../../test-support/project.js";
import { barePath, installNative, REAL_PATIENCE_MS, REAL_TEST_MS, realPath } from "../../test-support/real-servers.js";
import { startServer, type TestServer } from "../../test-support/server.js";

vi.setConfig({ testTimeout: REAL_TEST_MS });

const FILES = {
  "package.json": '{ "type": "module" }',
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "types": [], "module": "nodenext", "lib": ["es5"], "skipLibCheck": true } }',
  "src/sums.ts": "/** Adds. */\nexport function addUp(a: number, b: number): number {\n  return a + b;\n}\n\nexport class Box {\n  get(): number {\n    return addUp(1, 2);\n  }\n}\n",
  "src/use.ts": 'import { addUp } from "./sums.js";\n\nexport const three = addUp(1, 2);\n',
  "src/(group)/@x/page.ts": 'import { addUp } from "../../sums.js";\n\nexport const page: string = addUp(3, 4);\n',
  "src/lost.ts": "export const four = addUp(2, 2);\n",
};

/** Where `addUp` is used in `src/use.ts`. */
const USE = { file: "src/use.ts", line: 3, character: 21 };

async function start(kind: "classic" | "native"): Promise<Project & { server: TestServer }> {
  const project = await makeProject();
  await writeFiles(project.root, FILES);
  if (kind === "native") await installNative(project.root);
  const env = { PATH: kind === "native" ? await barePath(project.folder) : realPath(), OMC_LSP_TIMEOUT_MS: "60000" };
  return { ...project, server: await startServer({ ...project, env, patienceMs: REAL_PATIENCE_MS }) };
}

describe.each(["classic", "native"] as const)("TypeScript (%s)", (kind) => {
  it("is right about a symbol at the first question, before anything was open", async () => {
    const { server, root } = await start(kind);
    const symbols = await server.call("lsp_workspace_symbols", { file: "src/use.ts", query: "addUp" });
    expect(symbols).toEqual({ isError: false, text: expect.stringContaining(`Function: addUp\n  ${root}/src/sums.ts:2:`) });
    expect((await server.call("lsp_hover", USE)).text).toMatch(/addUp\(a: number, b: number\): number[^]*Adds\.[^]*\n\nRange: 3:22-3:27$/);
    expect((await server.call("lsp_goto_definition", USE)).text).toBe(`${root}/src/sums.ts:2:17-2:22`);
    const { text } = await server.call("lsp_find_references", USE);
    expect(text).toMatch(/^Found 6 reference\(s\):\n\n/);
    expect(text).toContain(`${root}/src/(group)/@x/page.ts:3:29-3:34`);
    expect((await server.call("lsp_document_symbols", { file: "src/sums.ts" })).text).toBe("Function: addUp [2:1-4:2]\nClass: Box [6:1-10:2]\n  Method: get [7:3-9:4]");
  });

  it("finds problems, also below folders that URIs escape, and follows the disk", async () => {
    const { server, root } = await start(kind);
    const page = "src/(group)/@x/page.ts";
    const found = await server.call("lsp_diagnostics", { file: page });
    expect(found.text).toMatch(/^Found 1 diagnostic\(s\):\n\nError \(2322\)(\[\w+\])?: Type 'number' is not assignable to type 'string'\.\n {2}at src\/\(group\)\/@x\/page\.ts:3:14-3:18$/);
    await writeFiles(root, { [page]: FILES[page].replace("string", "number") });
    expect(await server.call("lsp_diagnostics", { file: page, severity: "error" })).toEqual({ text: `No error diagnostics in ${page}`, isError: false });
    await writeFiles(root, { "src/use.ts": `${FILES["src/use.ts"]}export const later = 5;\n` });
    expect((await server.call("lsp_document_symbols", { file: "src/use.ts" })).text).toContain("later [4:14-4:23]");
  });

  it("renames, in edits that can be applied as they are listed", async () => {
    const { server, root } = await start(kind);
    const name = { file: "src/sums.ts", line: 2, character: 16 };
    expect((await server.call("lsp_prepare_rename", name)).text).toMatch(/^Rename possible\. Range: line 2, col 17 to line 2, col 22/);
    const { text } = await server.call("lsp_rename", { ...name, newName: "plus" });
    expect(text).toMatch(/^Rename to "plus" would affect 3 file\(s\) with 6 edit\(s\):\n\n/);
    for (const [file, changed] of await applied(text)) expect(changed).toBe((await readFile(file, "utf8")).replaceAll("addUp", "plus"));
    expect(await readFile(join(root, "src/use.ts"), "utf8")).toBe(FILES["src/use.ts"]);
  });

  it("fixes a missing import, with the edit", async () => {
    const { server, root } = await start(kind);
    const range = { file: "src/lost.ts", startLine: 1, startCharacter: 20, endLine: 1, endCharacter: 25, only: "quickfix" };
    const actions = await server.call("lsp_code_actions", range);
    const line = /^(\d+)\. (?:Add import|Update import).*sums.*$/m.exec(actions.text);
    expect(line, actions.text).not.toBeNull();
    const { text } = await server.call("lsp_code_action_resolve", { ...range, actionIndex: Number(line?.[1]) });
    expect(text).toMatch(/^Action: Add import[^]*\nKind: quickfix[^]*\nEdits:\nFile: /);
    const [[file, changed] = []] = await applied(text);
    expect(file).toBe(join(root, "src/lost.ts"));
    expect(changed).toMatch(/^import \{ addUp \} from "\.\/sums(\.js)?";\n+export const four = addUp\(2, 2\);\n$/);
  });

  it("checks a whole directory file by file without missing a problem", async () => {
    const { server } = await start(kind);
    const { text, isError } = await server.call("lsp_diagnostics_directory", { directory: "src", strategy: "lsp" });
    expect(isError).toBe(false);
    expect(text).toContain("Summary: LSP check failed: 2 errors, 0 warnings (4 files)\n\n### Diagnostics");
    expect(text).toMatch(/^lost\.ts:\nError \(2304\)[^]*^\(group\)\/@x\/page\.ts:\nError \(2322\)/m);
  });
});

it("leaves no process when the client goes away in the middle of work", async () => {
  const { server } = await start("classic");
  await server.call("lsp_document_symbols", { file: "src/sums.ts" });
  const pids = await descendantsOf(server.pid);
  expect(pids.length).toBeGreaterThanOrEqual(2); // the language server, and the TypeScript server that it started
  void server.call("lsp_diagnostics_directory", { directory: ".", strategy: "lsp" }).catch(() => {});
  expect(await server.closeInput()).toEqual({ code: 0, signal: null });
  await waitUntilGone(pids, 5_000);
});

/** Applies the edits that an answer lists to the files as they are on the disk; returns what they would become. */
async function applied(listing: string): Promise<Map<string, string>> {
  const files = new Map<string, { from: number; to: number; text: string }[]>();
  const texts = new Map<string, string>();
  let file = "";
  for (const line of listing.split("\n")) {
    file = /^File: (.*)$/.exec(line)?.[1] ?? file;
    const [, startLine, startColumn, endLine, endColumn, text] = /^ {2}(\d+):(\d+)(?:-(\d+):(\d+))?: (".*")$/.exec(line) ?? [];
    if (text === undefined) continue;
    const content = texts.get(file) ?? (await readFile(file, "utf8"));
    texts.set(file, content);
    const from = offset(content, Number(startLine), Number(startColumn));
    const to = offset(content, Number(endLine ?? startLine), Number(endColumn ?? startColumn));
    files.set(file, [...(files.get(file) ?? []), { from, to, text: JSON.parse(text) as string }]);
  }
  return new Map(
    [...files].map(([path, edits]) => {
      const fromTheEnd = edits.toSorted((a, b) => b.from - a.from);
      return [path, fromTheEnd.reduce((content, { from, to, text }) => content.slice(0, from) + text + content.slice(to), texts.get(path) ?? "")];
    }),
  );
}

function offset(text: string, line: number, column: number): number {
  const before = text.split("\n").slice(0, line - 1);
  return before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
}
