import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { type FakeScript, installFake } from "../../../test-support/fake-language-server.js";
import { startFakeProject, writeFiles } from "../../../test-support/fake-project.js";
import { makeProject } from "../../../test-support/project.js";
import { startServer } from "../../../test-support/server.js";
import { checkWithServers } from "./lsp-check.js";

const DIRECTORY = { directory: "." };

describe("a directory of files with language servers", () => {
  it("fails with the problems by file, of a server that was not running before", async () => {
    const { server, write } = await startFakeProject({ publish: "late" });
    await write("b/two.lua", "fine\nBAD BAD\n");
    await write("a.lua", "BAD\n");
    expect(await server.call("lsp_diagnostics_directory", DIRECTORY)).toEqual({
      text:
        "## Directory Diagnostics\n\nStrategy: lsp\nSummary: LSP check failed: 2 errors, 0 warnings (3 files)\n\n### Diagnostics\n\n" +
        "a.lua:\nError (1)[fake]: a bad word\n  at a.lua:1:1-1:4\n\nb/two.lua:\nError (1)[fake]: a bad word\n  at b/two.lua:2:1-2:4",
      isError: false,
    });
  });

  it("passes when all of them were checked", async () => {
    const { server, fake, root } = await startFakeProject({ pull: true });
    await symlink(".", join(root, "loop"));
    const { text, isError } = await server.call("lsp_diagnostics_directory", DIRECTORY);
    expect([isError, text]).toEqual([false, expect.stringContaining("Summary: LSP check passed: 0 errors, 0 warnings (1 files)\n\nNo problems found.")]);
    const heard = await fake.heard();
    expect(heard.filter(({ started }) => started !== undefined)).toHaveLength(1);
    expect(heard.filter(({ method }) => method === "textDocument/didOpen")).toHaveLength(1);
    await expect.poll(async () => (await fake.heard()).filter(({ method }) => method === "textDocument/didClose").length).toBe(1);
  });

  it("is not checked while their server is silent, which is not a pass", async () => {
    const { server, write } = await startFakeProject({ publish: "never" }, { OMC_LSP_TIMEOUT_MS: "4000" });
    for (let number = 0; number < 60; number++) await write(`f${number}.lua`, "");
    const { text, isError } = await server.call("lsp_diagnostics_directory", DIRECTORY);
    expect(isError).toBe(true);
    expect(text).toContain("Summary: LSP check incomplete: 0 errors, 0 warnings (0/61 files checked)");
    expect(text).toMatch(/Skipped 61 file\(s\):\n- f0\.lua, [^\n]* and 56 more: .*8 s/);
  });

  it("is checked in part where a server is missing, and says how to get it", async () => {
    const { server, write } = await startFakeProject({ pull: true });
    await write("x.zig", "");
    await write("y.zig", "");
    await write("data.yaml", "");
    const { text, isError } = await server.call("lsp_diagnostics_directory", DIRECTORY);
    expect(isError).toBe(false);
    expect(text).toContain("Summary: LSP check incomplete: 0 errors, 0 warnings (1/3 files checked)");
    expect(text).toContain("⚠️ Missing language servers:\n- Language server 'yaml-language-server' not found. Install with: npm install -g yaml-language-server\n- Language server 'zls' not found.");
    expect(text).toContain("Skipped 2 file(s):\n- x.zig, y.zig: Language server 'zls' not found.");
    expect(text).toContain("Beside the code, not checked because their server is missing: data.yaml");
  });

  it("passes although nothing checks the data beside the code", async () => {
    const { server, write } = await startFakeProject({ pull: true });
    await write("package.json", "{}");
    expect((await server.call("lsp_diagnostics_directory", DIRECTORY)).text).toContain("LSP check passed: 0 errors, 0 warnings (1 files)");
  });

  it.each([{}, { "a.py": "", "b.go": "", "c.rs": "" }, { "notes.txt": "" }, { "data.json": "{}" }])("with %j and no server is not checked", async (files) => {
    const project = await makeProject();
    await writeFiles(project.root, files);
    const server = await startServer({ ...project, env: { PATH: "/nonexistent" } });
    const { text, isError } = await server.call("lsp_diagnostics_directory", DIRECTORY);
    expect(isError).toBe(true);
    expect(text).toMatch(/Summary: LSP check incomplete: 0 errors, 0 warnings \(0\/\d files checked\)/);
  });

  it("with more problems than an answer can hold shows the first of them", async () => {
    const { server, write } = await startFakeProject({ pull: true });
    await write("a.lua", "BAD\n".repeat(5_000));
    const { text } = await server.call("lsp_diagnostics_directory", DIRECTORY);
    expect(text).toContain("LSP check failed: 5000 errors");
    expect(text).toMatch(/### Diagnostics\n\na\.lua:\nError[^]*\.\.\. and \d+ more problems \(the answer would be too long\)$/);
    expect(text.length).toBeLessThan(102_000);
  });

  it("leaves out what is no text", async () => {
    const { server, write } = await startFakeProject({ pull: true });
    await write("binary.lua", "\0\0");
    expect((await server.call("lsp_diagnostics_directory", DIRECTORY)).text).toMatch(/\(1\/2 files checked\)[^]*- binary\.lua: it is no text file/);
  });
});

describe("the check of many files", () => {
  async function check(script: FakeScript, timeoutMs: number, signal = new AbortController().signal) {
    const { root } = await makeProject();
    const fake = await installFake("lua-language-server", script);
    vi.stubEnv("PATH", fake.path);
    const names = Array.from({ length: 30 }, (_, number) => `f${number}.lua`);
    await writeFiles(root, Object.fromEntries(names.map((name) => [name, "BAD\n"])));
    const files = names.map((name) => join(root, name));
    return { fake, result: await checkWithServers({ directory: root, files, fileMs: 60_000, timeoutMs, signal }) };
  }

  it("keeps the order of the files and takes eight at a time", async () => {
    const { result, fake } = await check({ pull: true, delay: { "textDocument/diagnostic": 20 } }, 60_000);
    expect(result.checked.map(({ file }) => file)).toEqual(Array.from({ length: 30 }, (_, number) => `f${number}.lua`));
    let open = 0;
    const most = (await fake.heard()).reduce((max, { method }) => {
      if (method === "textDocument/didOpen") open++;
      if (method === "textDocument/didClose") open--;
      return Math.max(max, open);
    }, 0);
    expect(most).toBeLessThanOrEqual(8);
  });

  it("ends when its time is over, and says what it left", async () => {
    const { result } = await check({ publish: "never" }, 1_500);
    expect(result.checked).toEqual([]);
    expect([...result.unchecked]).toEqual([["the time for the whole check, 2 s, was over", expect.any(Array)]]);
    expect([...result.unchecked.values()].flat()).toHaveLength(30);
  });

  it("ends when the call is cancelled", async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 500);
    const { result } = await check({ publish: "never" }, 60_000, abort.signal);
    expect([...result.unchecked.keys()]).toEqual(["the call was cancelled"]);
  });

  it("gives up on a server that keeps crashing", async () => {
    const { result } = await check({ pull: true, crash: ["textDocument/diagnostic"] }, 60_000);
    expect(result.checked).toEqual([]);
    expect([...result.unchecked.values()].flat()).toHaveLength(30);
  });
});
