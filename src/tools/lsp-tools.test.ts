import { describe, expect, it } from "vitest";
import { buildListToolsResponse, type ToolDef } from "../mcp/tool-registry.js";
import { startFakeProject } from "../test-support/fake-project.js";
import { lspTools } from "./lsp-tools.js";

/** What 12 tools may take of the list that every session pays for. */
const MOST_BYTES = 6_700;

const listed = buildListToolsResponse(lspTools as unknown as ToolDef[], "").tools;
const range = { start: { line: 0, character: 6 }, end: { line: 0, character: 11 } };
const here = { file: "main.lua", line: 1, character: 7 };
const around = { file: "main.lua", startLine: 1, startCharacter: 6, endLine: 1, endCharacter: 11 };

describe("the list", () => {
  it("has the tools in their order, small, and all of them only read", () => {
    expect(listed.map(({ name }) => name)).toEqual([
      "lsp_hover",
      "lsp_goto_definition",
      "lsp_find_references",
      "lsp_document_symbols",
      "lsp_workspace_symbols",
      "lsp_diagnostics",
      "lsp_diagnostics_directory",
      "lsp_servers",
      "lsp_prepare_rename",
      "lsp_rename",
      "lsp_code_actions",
      "lsp_code_action_resolve",
    ]);
    for (const { annotations } of listed) expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    const bytes = listed.reduce((sum, tool) => sum + Buffer.byteLength(JSON.stringify(tool)), 0);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  });

  it("serves the bases and limits of positions", () => {
    const rename = listed.find(({ name }) => name === "lsp_rename")?.inputSchema;
    expect(rename).toMatchObject({
      properties: { line: { type: "integer", minimum: 1 }, character: { type: "integer", minimum: 0 }, newName: { type: "string", minLength: 1 } },
      required: ["file", "line", "character", "newName"],
    });
    const resolve = listed.find(({ name }) => name === "lsp_code_action_resolve")?.inputSchema;
    expect(resolve?.required).toEqual(["file", "startLine", "startCharacter", "endLine", "endCharacter", "actionIndex"]);
    expect(resolve?.properties["actionIndex"]).toMatchObject({ minimum: 1 });
  });
});

describe("arguments", () => {
  it.each([
    ["lsp_hover", { file: "main.lua" }, "Missing line"],
    ["lsp_hover", { line: 1, character: 0 }, "Missing file"],
    ["lsp_hover", { ...here, line: 0 }, "Invalid line: expected a number of at least 1, got 0"],
    ["lsp_hover", { ...here, line: "3" }, "Invalid line: expected a number"],
    ["lsp_hover", { ...here, character: -1 }, "Invalid character"],
    ["lsp_hover", { ...here, line: 1.5 }, "Invalid line"],
    ["lsp_rename", { ...here, newName: "" }, "Invalid newName: expected at least 1 characters"],
    ["lsp_diagnostics", { file: "main.lua", severity: "fatal" }, "Invalid severity: expected one of"],
    ["lsp_diagnostics_directory", {}, "Missing directory"],
    ["lsp_code_action_resolve", { ...around, actionIndex: 0 }, "Invalid actionIndex"],
  ])("of %s are refused before any server starts: %j", async (tool, args, words) => {
    const { server, fake } = await startFakeProject({});
    const { text, isError } = await server.call(tool, args);
    expect(isError).toBe(true);
    expect(text).toContain(words);
    expect(await fake.heard()).toEqual([]);
  });
});

describe("answers", () => {
  it("come with 1-based places from every form of result", async () => {
    const { server, root } = await startFakeProject((uri) => ({
      capabilities: { definitionProvider: true, renameProvider: { prepareProvider: true } },
      results: {
        "textDocument/hover": { contents: [{ language: "lua", value: "local total" }, "a number"], range },
        "textDocument/definition": [{ targetUri: uri("with%20space.lua"), targetRange: { ...range, end: { line: 9, character: 0 } }, targetSelectionRange: range }],
        "textDocument/references": [{ uri: uri("main.lua"), range }],
        "textDocument/documentSymbol": [{ name: "total", kind: 13, range, selectionRange: range }],
        "workspace/symbol": [{ name: "total", kind: 13, location: { uri: uri("main.lua") } }],
        "textDocument/prepareRename": { range, placeholder: "total" },
        "textDocument/rename": { documentChanges: [{ kind: "rename", oldUri: uri("main.lua"), newUri: uri("sum.lua") }, { textDocument: { uri: uri("sum.lua"), version: null }, edits: [{ range, newText: "sum" }] }] },
      },
    }));
    const texts = [
      await server.call("lsp_hover", here),
      await server.call("lsp_goto_definition", here),
      await server.call("lsp_find_references", here),
      await server.call("lsp_document_symbols", { file: "main.lua" }),
      await server.call("lsp_workspace_symbols", { file: "main.lua", query: "tot" }),
      await server.call("lsp_prepare_rename", here),
    ];
    expect(texts).toEqual(
      [
        "local total\n\na number\n\nRange: 1:7-1:12",
        `${root}/with space.lua:1:7-1:12`,
        `Found 1 reference(s):\n\n${root}/main.lua:1:7-1:12`,
        "Variable: total [1:7-1:12]",
        `Found 1 symbol(s) matching "tot":\n\nVariable: total\n  ${root}/main.lua`,
        "Rename possible. Range: line 1, col 7 to line 1, col 12; present name: total",
      ].map((text) => ({ text, isError: false })),
    );
    const { text } = await server.call("lsp_rename", { ...here, newName: "sum" });
    expect(text).toMatch(/^Rename to "sum" would affect 1 file\(s\) with 1 edit\(s\):\n\nRename file: [^\n]*main\.lua -> [^\n]*sum\.lua\nFile: [^\n]*sum\.lua\n {2}1:7-1:12: "sum"\n\nNothing was written/);
  });

  it("say so when there is nothing, without calling it an error", async () => {
    const methods = ["hover", "definition", "references", "documentSymbol", "prepareRename", "rename", "codeAction"];
    const results = Object.fromEntries([...methods.map((method) => `textDocument/${method}`), "workspace/symbol"].map((method) => [method, null]));
    const { server } = await startFakeProject({ results, capabilities: { renameProvider: { prepareProvider: true } } });
    const answers = [
      await server.call("lsp_hover", here),
      await server.call("lsp_goto_definition", here),
      await server.call("lsp_find_references", here),
      await server.call("lsp_document_symbols", { file: "main.lua" }),
      await server.call("lsp_workspace_symbols", { file: "main.lua", query: "tot" }),
      await server.call("lsp_diagnostics", { file: "main.lua", severity: "hint" }),
      await server.call("lsp_prepare_rename", here),
      await server.call("lsp_rename", { ...here, newName: "sum" }),
      await server.call("lsp_code_actions", around),
      await server.call("lsp_code_action_resolve", { ...around, actionIndex: 2 }),
    ];
    expect(answers.map(({ text }) => text)).toEqual([
      "No hover information available",
      "No locations found",
      "No references found",
      "No symbols found",
      "No symbols found matching: tot",
      "No hint diagnostics in main.lua",
      "Cannot rename symbol at this position",
      "Rename failed or no edits returned",
      "No code actions available",
      expect.stringMatching(/^Invalid action index 2/),
    ]);
    expect(answers.every(({ isError }) => !isError)).toBe(true);
  });

  it("ask for what the caller means: zero-based lines, declarations unless they are not wanted", async () => {
    const { server, fake } = await startFakeProject({ results: { "textDocument/references": [] } });
    await server.call("lsp_find_references", { ...here, line: 2, character: 6 });
    await server.call("lsp_find_references", { ...here, includeDeclaration: false });
    const asked = (await fake.heard()).filter(({ method }) => method === "textDocument/references").map(({ params }) => params);
    expect(asked).toMatchObject([
      { position: { line: 1, character: 6 }, context: { includeDeclaration: true } },
      { position: { line: 0, character: 7 }, context: { includeDeclaration: false } },
    ]);
  });

  it("may rename what the server leaves to the client, or does not check before", async () => {
    for (const capabilities of [{ renameProvider: { prepareProvider: true } }, { renameProvider: true }]) {
      const { server } = await startFakeProject({ capabilities, results: { "textDocument/prepareRename": { defaultBehavior: true } } });
      expect((await server.call("lsp_prepare_rename", here)).text).toBe("Rename possible. Range: line 1, col 7 to line 1, col 12; present name: total");
      expect((await server.call("lsp_prepare_rename", { ...here, line: 3, character: 0 })).text).toBe("Cannot rename symbol at this position");
    }
  });

  it("tell that a rename is refused in the server's words, without a stack trace", async () => {
    const { server } = await startFakeProject({
      capabilities: { renameProvider: { prepareProvider: true } },
      errors: { "textDocument/prepareRename": { code: -32602, message: "Request textDocument/prepareRename failed with message: keywords have no name\n    at check (/srv/x/server.js:1:1)" } },
    });
    const { text, isError } = await server.call("lsp_prepare_rename", here);
    expect(isError).toBe(false);
    expect(text).toBe("Cannot rename symbol at this position: keywords have no name");
  });
});

describe("workspace symbols", () => {
  it("are asked for after the file was opened", async () => {
    const { server, fake } = await startFakeProject({ results: { "workspace/symbol": [] } });
    await server.call("lsp_workspace_symbols", { file: "main.lua", query: "x" });
    const methods = (await fake.heard()).map(({ method }) => method);
    expect(methods.indexOf("textDocument/didOpen")).toBeGreaterThan(-1);
    expect(methods.indexOf("textDocument/didOpen")).toBeLessThan(methods.indexOf("workspace/symbol"));
  });

  it("need only the place of a file", async () => {
    const { server } = await startFakeProject({ results: { "workspace/symbol": [] } });
    expect(await server.call("lsp_workspace_symbols", { file: "new/other.lua", query: "x" })).toEqual({ text: "No symbols found matching: x", isError: false });
    expect((await server.call("lsp_workspace_symbols", { file: "new", query: "x" })).text).toMatch(/^No language server available for file type: new/);
  });
});

describe("code actions", () => {
  const item = (line: number) => ({ range: { start: { line, character: 0 }, end: { line, character: 3 } }, message: "a bad word", severity: 1, code: 1, source: "fake" });

  it("are asked for with the problems in the range, and of the kind that is wanted", async () => {
    const { server, fake, write } = await startFakeProject({ results: { "textDocument/codeAction": [] } });
    await write("main.lua", "BAD\nfine\nBAD\n");
    await server.call("lsp_code_actions", { file: "main.lua", startLine: 1, startCharacter: 1, endLine: 2, endCharacter: 0, only: "quickfix" });
    const asked = (await fake.heard()).find(({ method }) => method === "textDocument/codeAction");
    expect(asked?.params).toMatchObject({ context: { diagnostics: [item(0)], only: ["quickfix"], triggerKind: 1 } });
  });

  it("are resolved when their edits are not there yet, and shown whole", async () => {
    const newText = `${"long ".repeat(20)}\n"end"`;
    const { server, root, fake } = await startFakeProject((uri) => ({
      capabilities: { codeActionProvider: { resolveProvider: true } },
      results: {
        "textDocument/codeAction": [{ title: "Off", disabled: { reason: "no" } }, { title: "Sort", command: "do.sort" }, { title: "Fix", kind: "quickfix", data: 7 }],
        "codeAction/resolve": { title: "Fix", kind: "quickfix", edit: { changes: { [uri("main.lua")]: [{ range, newText }] } } },
      },
    }));
    expect((await server.call("lsp_code_actions", around)).text).toBe("1. Sort\n2. Fix [quickfix]");
    expect((await server.call("lsp_code_action_resolve", { ...around, actionIndex: 1 })).text).toMatch(/^Action: Sort\nCommand: Sort \(do\.sort\)/);
    const { text } = await server.call("lsp_code_action_resolve", { ...around, actionIndex: 2 });
    expect(text).toContain(`Edits:\nFile: ${root}/main.lua\n  1:7-1:12: ${JSON.stringify(newText)}\n`);
    expect((await fake.heard()).find(({ method }) => method === "codeAction/resolve")?.params).toMatchObject({ data: 7 });
    expect((await server.call("lsp_code_action_resolve", { ...around, actionIndex: 3 })).text).toBe("Invalid action index 3: expected 1 to 2");
  });

  it("say what they have when the server cannot resolve them", async () => {
    const { server } = await startFakeProject({
      capabilities: { codeActionProvider: { resolveProvider: true } },
      results: { "textDocument/codeAction": [{ title: "Fix", kind: "quickfix" }] },
      errors: { "codeAction/resolve": { code: -32603, message: "cannot" } },
    });
    const { text, isError } = await server.call("lsp_code_action_resolve", { ...around, actionIndex: 1 });
    expect(isError).toBe(false);
    expect(text).toMatch(/^Action: Fix\nKind: quickfix\nThe server could not say the edits: cannot$/m);
  });

  it("need a range that does not end before it starts", async () => {
    const { server } = await startFakeProject({ results: { "textDocument/codeAction": [] } });
    const { text, isError } = await server.call("lsp_code_actions", { ...around, endLine: 1, endCharacter: 0 });
    expect([isError, text]).toEqual([true, expect.stringMatching(/^The range ends before it starts/)]);
  });
});
