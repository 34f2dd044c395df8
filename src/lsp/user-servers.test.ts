/** The user's own language servers. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { installFake } from "../test-support/fake-language-server.js";
import { startFakeProject } from "../test-support/fake-project.js";
import { eventually, fakeWorkspace } from "../test-support/fake-workspace.js";
import { makeProject } from "../test-support/project.js";
import { chooseServer, languageOf, loadServers, servers, supports } from "./choose-server.js";

async function configure(text: string): Promise<string> {
  const { home, root } = await makeProject();
  vi.stubEnv("XDG_CONFIG_HOME", home);
  await mkdir(join(home, "claude-omc"));
  await writeFile(join(home, "claude-omc", "config.jsonc"), text);
  await loadServers();
  return root;
}

test("a row is changed, one is taken away, one is added and takes its extensions from the others", async () => {
  await configure(`{ // servers
    "lsp": {
      "go": { "settings": { "gopls": { "staticcheck": true } } },
      "python": { "command": "pylsp" },
      "html": false,
      "nix": { "command": "nil", "args": ["lsp"], "extensions": [".NIX", ".h"], "languageId": "nixos", "install": "from nixpkgs" },
    },
  }`);
  const row = (key: string) => servers().find((one) => one.key === key);
  expect(row("go")).toMatchObject({ command: "gopls", args: ["serve"], settings: { gopls: { staticcheck: true } }, options: { pullDiagnostics: true } });
  expect(row("python")).toMatchObject({ name: "pylsp", command: "pylsp", args: [], extensions: [".py", ".pyw", ".pyi"] });
  expect(row("html")).toBeUndefined();
  expect(row("c")?.extensions).not.toContain(".h");
  expect(servers().at(-1)).toEqual({ key: "nix", name: "nil", command: "nil", args: ["lsp"], extensions: [".nix", ".h"], languageId: "nixos", install: "from nixpkgs", own: true });
  expect(["a.nix", "a.html"].map(supports)).toEqual([true, false]);
  expect(languageOf("a.h")).toBe("nixos");
});

test("nothing stands in for a server of the user's", async () => {
  const root = await configure('{ "lsp": { "python": { "command": "pylsp", "install": "pip install python-lsp-server" } } }');
  const fake = await installFake("pyright-langserver");
  vi.stubEnv("PATH", fake.folder);
  await expect(chooseServer(join(root, "a.py"), "a.py")).rejects.toThrow("Language server 'pylsp' not found.\nInstall with: pip install python-lsp-server");
});

test.each(["", "[]", '{ "lsp": 1 }', '{ "lsp": { "x": {}, "y": { "command": "z", "extensions": ["y"] }, "go": { "args": [1] }, "c": 7 } }'])(
  "what makes no sense is left out: %s",
  async (text) => {
    vi.stubEnv("XDG_CONFIG_HOME", "/nonexistent");
    await loadServers();
    const before = servers();
    await configure(text);
    expect(servers()).toEqual(before);
  },
);

test("their settings are told, and answered by section", async () => {
  const settings = { lua: { format: { width: 4 } } };
  await configure(JSON.stringify({ lsp: { lua: { settings } } }));
  const items = [{ section: "lua.format" }, { section: "lua.format.width" }, { section: "lua.other.deep" }, { section: "" }];
  const fake = await fakeWorkspace({ asks: [{ method: "workspace/configuration", params: { items } }] });
  await fake.inSession(async () => {});
  await eventually(async () => {
    expect(await fake.told("workspace/didChangeConfiguration")).toEqual([{ settings }]);
    const answer = (await fake.heard()).find(({ answerTo }) => answerTo === "workspace/configuration");
    expect(answer?.result).toEqual([{ width: 4 }, 4, null, settings]);
  });
});

test("a repository has no say", async () => {
  const fake = await fakeWorkspace();
  await fake.write(".claude/omc.jsonc", '{ "lsp": { "lua": { "command": "other" } } }');
  await fake.inSession(async (session) => expect(session.name).toBe("Lua Language Server"));
});

test("the tools know them", async () => {
  const { server, home, write } = await startFakeProject({ pull: true });
  await mkdir(join(home, ".config", "claude-omc"), { recursive: true });
  const config = { lsp: { odd: { command: "lua-language-server", extensions: [".odd"], languageId: "oddish" } } };
  await writeFile(join(home, ".config", "claude-omc", "config.jsonc"), JSON.stringify(config));
  await write("a.odd", "BAD\n");
  expect((await server.call("lsp_diagnostics", { file: "a.odd" })).text).toContain("a bad word");
  expect((await server.call("lsp_servers", {})).text).toContain("- lua-language-server (lua-language-server)\n  Extensions: .odd");
});
