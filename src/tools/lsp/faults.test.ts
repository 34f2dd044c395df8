import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAIN, startFakeProject } from "../../test-support/fake-project.js";
import { waitUntilGone } from "../../test-support/processes.js";
import { makeProject } from "../../test-support/project.js";

const here = { file: "main.lua", line: 1, character: 7 };
const range = { start: { line: 0, character: 6 }, end: { line: 0, character: 11 } };
/** Enough for a server to start on a busy machine. */
const SHORT = { OMC_LSP_TIMEOUT_MS: "4000" };

describe("a language server that hangs", () => {
  it("costs its own call only", async () => {
    const { server } = await startFakeProject({ hang: ["textDocument/hover"], results: { "textDocument/documentSymbol": [] } }, { OMC_LSP_TIMEOUT_MS: "12000" });
    let hanging = true;
    const hung = server.call("lsp_hover", here).finally(() => (hanging = false));
    const others = await Promise.all([server.call("state_list_active"), server.call("lsp_document_symbols", { file: "main.lua" }), server.call("lsp_servers")]);
    expect(hanging).toBe(true);
    expect(others.map(({ isError }) => isError)).toEqual([false, false, false]);
    const { text, isError } = await hung;
    expect(isError).toBe(true);
    expect(text).toMatch(/^Error in hover: .*textDocument\/hover/);
    expect((await server.call("lsp_document_symbols", { file: "main.lua" })).text).toBe("No symbols found");
  });
});

describe("a language server that crashes", () => {
  it("is told about with its last words, and started anew by the next call", async () => {
    const { server, fake } = await startFakeProject({ crash: ["textDocument/hover"], results: { "textDocument/documentSymbol": [] } });
    const { text, isError } = await server.call("lsp_hover", here);
    expect(isError).toBe(true);
    expect(text).toMatch(/^Error in hover: .*code 3/);
    expect(text).toContain("the fake gave up");
    expect(text).not.toMatch(/^\s+at /m);
    expect((await server.call("state_list_active")).isError).toBe(false);
    expect(await server.call("lsp_document_symbols", { file: "main.lua" })).toEqual({ text: "No symbols found", isError: false });
    expect((await fake.heard()).filter(({ started }) => started !== undefined)).toHaveLength(2);
  });
});

describe("a language server that cannot be started", () => {
  it("is told about with its last words, and is not listed as installed", async () => {
    const { server } = await startFakeProject({ crash: ["initialize"] });
    const { text, isError } = await server.call("lsp_hover", here);
    expect([isError, text]).toEqual([true, expect.stringMatching(/^Error in hover: .*code 3[^]*the fake gave up/)]);
    const servers = (await server.call("lsp_servers")).text;
    const [installed = "", missing = ""] = servers.split("### Not Installed:");
    expect(installed).not.toContain("lua-language-server");
    expect(missing).toMatch(/\(lua-language-server\)\n {2}Extensions: \.lua\n {2}Problem: .*the fake gave up.*\n {2}Install: /);
  });
});

describe.each(["stdout", "stderr", "hugeFrame", "badHeader", "badJson", "notifications"] as const)("a language server that floods us (%s)", (kind) => {
  it("leaves the other tools alone", async () => {
    const { server } = await startFakeProject({ noise: { "textDocument/hover": kind } }, SHORT);
    const flooded = server.call("lsp_hover", here);
    expect((await server.call("state_list_active")).isError).toBe(false);
    const { text } = await flooded;
    expect(text.length).toBeLessThan(5_000);
    expect((await server.call("state_list_active")).isError).toBe(false);
    expect(server.noise).toEqual([]);
  });
});

describe("answers that no protocol has", () => {
  it.each([
    ["lsp_goto_definition", here, { "textDocument/definition": [{}] }],
    ["lsp_hover", here, { "textDocument/hover": { contents: 7, range: 3 } }],
    ["lsp_find_references", here, { "textDocument/references": [null] }],
    ["lsp_document_symbols", { file: "main.lua" }, { "textDocument/documentSymbol": [{ name: "x" }] }],
    ["lsp_rename", { ...here, newName: "x" }, { "textDocument/rename": { documentChanges: [{}] } }],
    ["lsp_code_actions", { file: "main.lua", startLine: 1, startCharacter: 0, endLine: 1, endCharacter: 0 }, { "textDocument/codeAction": [null] }],
  ])("to %s are an error in words of ours", async (tool, args, results) => {
    const { server } = await startFakeProject({ results });
    const { text } = await server.call(tool, args);
    expect(text).not.toMatch(/undefined|TypeError|\n\s+at /);
    expect((await server.call("state_list_active")).isError).toBe(false);
  });
});

describe("errors that a server answers", () => {
  it("are shown without its stack trace", async () => {
    const message = "No Project.\nError: No Project.\n    at Object.ThrowNoProject (/srv/x/lib/server.js:1:2)\n    at search (/srv/x/lib/server.js:3:4)";
    const { server } = await startFakeProject({ errors: { "workspace/symbol": { code: -32603, message } } });
    const { text, isError } = await server.call("lsp_workspace_symbols", { file: "main.lua", query: "x" });
    expect(isError).toBe(true);
    expect(text).toMatch(/^Error in workspace symbols: .*No Project\./);
    expect(text).not.toContain("server.js");
  });
});

describe("diagnostics", () => {
  it("of a server that says nothing are not the same as none", async () => {
    const { server } = await startFakeProject({ publish: "never" }, SHORT);
    const { text, isError } = await server.call("lsp_diagnostics", { file: "main.lua" });
    expect(isError).toBe(true);
    expect(text).toMatch(/^Not checked: main\.lua: .*8 s/);
  });

  it("are waited for where the server cannot be asked, although it says so", async () => {
    const { server, write } = await startFakeProject({ claimsPull: true });
    await write("main.lua", "BAD\n");
    expect((await server.call("lsp_diagnostics", { file: "main.lua" })).text).toBe("Found 1 diagnostic(s):\n\nError (1)[fake]: a bad word\n  at main.lua:1:1-1:4");
  });

  it.each([{}, { pull: true }, { publish: "late" as const }, { publish: "stale" as const }])("follow the file on the disk: %j", async (script) => {
    const { server, write } = await startFakeProject(script);
    await write("main.lua", "BAD\n");
    expect((await server.call("lsp_diagnostics", { file: "main.lua" })).text).toMatch(/^Found 1 diagnostic/);
    await write("main.lua", "good\n");
    expect(await server.call("lsp_diagnostics", { file: "main.lua" })).toEqual({ text: "No diagnostics in main.lua", isError: false });
    await write("main.lua", "good\nBAD\n");
    expect((await server.call("lsp_diagnostics", { file: "main.lua", severity: "error" })).text).toContain("main.lua:2:1-2:4");
  });
});

describe("a server that is still loading", () => {
  it("is waited for a while, then its answer says that it may be incomplete", async () => {
    const { server } = await startFakeProject({ progress: { ms: 50, endless: true }, results: { "textDocument/definition": [] } }, SHORT);
    const { text, isError } = await server.call("lsp_goto_definition", here);
    expect(isError).toBe(false);
    expect(text).toMatch(/^No locations found\n\nNote: Lua Language Server is still loading the project \(.*may be incomplete/);
  });

  it("is waited for until it has loaded", async () => {
    const { server } = await startFakeProject({ progress: { ms: 300 } });
    const { text } = await server.call("lsp_hover", here);
    expect(text).toContain(", loaded:");
    expect(text).not.toContain("Note:");
  });
});

describe("when the client goes away in the middle of work", () => {
  it("nothing is left, however stubborn the language server and what it started are", async () => {
    const place = join((await makeProject()).folder, "child.pid");
    const { server, fake } = await startFakeProject({ hang: ["textDocument/hover", "shutdown"], ignoreTerm: true, ignoreExit: true, child: place });
    void server.call("lsp_hover", here).catch(() => {});
    await expect.poll(async () => (await fake.heard()).some(({ method }) => method === "textDocument/hover")).toBe(true);
    const began = Date.now();
    expect(await server.closeInput()).toEqual({ code: 0, signal: null });
    const pids = [...(await fake.heard()).flatMap(({ started }) => (started === undefined ? [] : [started])), Number(await readFile(place, "utf8"))];
    expect(pids).toHaveLength(2);
    await waitUntilGone(pids, 5_000 - (Date.now() - began));
  });
});

it("shows edits and writes none", async () => {
  const { server, root } = await startFakeProject((uri) => ({ results: { "textDocument/rename": { changes: { [uri("main.lua")]: [{ range, newText: "x" }] } } } }));
  expect((await server.call("lsp_rename", { ...here, newName: "x" })).text).toContain('1:7-1:12: "x"');
  expect(await readFile(join(root, "main.lua"), "utf8")).toBe(MAIN);
});
