import { execFile } from "node:child_process";
import { symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startFakeProject, writeFiles } from "../../test-support/fake-project.js";
import { makeProject } from "../../test-support/project.js";
import { startServer } from "../../test-support/server.js";

const at = (file: string) => ({ file, line: 1, character: 0 });

describe("a file that is not fit to be opened", () => {
  it("is refused at once, in words that name it as the caller did", async () => {
    const { server, fake, root, write } = await startFakeProject({});
    await write("dir.lua/x", "");
    await promisify(execFile)("mkfifo", [join(root, "pipe.lua")]);
    await write("binary.lua", "a\0b");
    await write("huge.lua", "");
    await truncate(join(root, "huge.lua"), 11 * 1024 * 1024);
    await symlink("loop.lua", join(root, "loop.lua"));
    await symlink("/dev/zero", join(root, "zero.lua"));
    await write("notes.xyz", "");
    const expected: [string, RegExp][] = [
      ["missing.lua", /^File not found: missing\.lua$/],
      ["main.lua/x.lua", /^File not found: main\.lua\/x\.lua$/],
      ["dir.lua", /^'dir\.lua' is a directory/],
      ["pipe.lua", /^'pipe\.lua' is not a regular file/],
      ["zero.lua", /^'zero\.lua' is not a regular file/],
      ["/dev/zero", /not a regular file/],
      ["binary.lua", /^'binary\.lua' is a binary file/],
      ["huge.lua", /^'huge\.lua' is too large: it has 11534336 bytes/],
      ["loop.lua", /^'loop\.lua' is a link that leads in a circle/],
      ["notes.xyz", /^No language server available for file type: notes\.xyz\n.*lsp_servers/],
      ["", /is not a path/],
      ["a\0.lua", /is not a path/],
      [`${"x".repeat(5_000)}.lua`, /too long/],
    ];
    for (const [file, words] of expected) {
      const { text, isError } = await server.call("lsp_hover", at(file));
      expect([file.slice(0, 20), isError, text]).toEqual([file.slice(0, 20), true, expect.stringMatching(words)]);
      expect(text.length).toBeLessThan(1_000);
      if (!file.startsWith("/")) expect(text).not.toContain(root);
    }
    expect(await fake.heard()).toEqual([]);
  });

  it("is not so because a directory is bad: that is an error of its own", async () => {
    const { server } = await startFakeProject({});
    expect(await server.call("lsp_diagnostics_directory", { directory: "nowhere" })).toEqual({ text: "Directory not found: nowhere", isError: true });
    expect(await server.call("lsp_diagnostics_directory", { directory: "main.lua" })).toEqual({ text: "'main.lua' is not a directory", isError: true });
  });
});

describe("a language without its server", () => {
  it("says how to get it", async () => {
    const project = await makeProject();
    await writeFiles(project.root, { "a.zig": "" });
    const server = await startServer({ ...project, env: { PATH: "/nonexistent" } });
    expect(await server.call("lsp_hover", at("a.zig"))).toEqual({
      text: "Language server 'zls' not found.\nInstall with: the instructions at https://github.com/zigtools/zls",
      isError: true,
    });
    const { text } = await server.call("lsp_servers");
    expect(text).toMatch(/^## Language Server Status\n\n### Not Installed:\n- TypeScript Language Server \(typescript-language-server\)\n {2}Extensions: \.ts, /);
    expect(text).toContain("- ZLS (zls)\n  Extensions: .zig, .zon\n  Install: the instructions at https://github.com/zigtools/zls");
  });
});

describe("files outside the project", () => {
  const strict = { OMC_SECURITY: "strict" };

  it("can be asked about", async () => {
    const { server, folder } = await startFakeProject({});
    await writeFile(join(folder, "other.lua"), "BAD\n");
    expect((await server.call("lsp_diagnostics", { file: "../other.lua" })).text).toMatch(/^Found 1 diagnostic[^]*at \.\.\/other\.lua:1:1-1:4$/);
  });

  it("cannot, through links neither, when the settings confine tools to it", async () => {
    const { server, root, folder, fake } = await startFakeProject({}, strict);
    await writeFiles(folder, { "other/a.lua": "secret\n" });
    await symlink(join(folder, "other", "a.lua"), join(root, "link.lua"));
    await symlink(join(folder, "other"), join(root, "links"));
    for (const file of ["../other/a.lua", join(folder, "other/a.lua"), "link.lua", "links/a.lua", "links/missing.lua"]) {
      const { text, isError } = await server.call("lsp_hover", at(file));
      expect([isError, text]).toEqual([true, expect.stringMatching(/^Path restricted: /)]);
    }
    for (const directory of ["..", "links"]) {
      expect((await server.call("lsp_diagnostics_directory", { directory })).text).toMatch(/^Path restricted: /);
    }
    expect(await fake.heard()).toEqual([]);
    expect((await server.call("lsp_hover", at("main.lua"))).isError).toBe(false);
  });
});
