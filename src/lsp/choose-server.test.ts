/** Which server a file gets, by what is installed, in the project or on the machine. */
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { makeProject, type Project } from "../test-support/project.js";
import { chooseServer, servers } from "./choose-server.js";
import { PYTHON } from "./registry.js";

/** A project, and a PATH that has only `bin` beside it. Programs are empty scripts. */
async function machine(...programs: string[]): Promise<Project & { bin: string }> {
  const project = await makeProject();
  const bin = join(project.folder, "bin");
  vi.stubEnv("PATH", bin);
  await Promise.all(programs.map((path) => program(path.startsWith(".") ? join(project.root, path) : join(bin, path))));
  return { ...project, bin };
}

async function program(path: string, text = "#!/bin/sh\n"): Promise<void> {
  await file(path, text);
  await chmod(path, 0o755);
}

async function file(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const chosen = async (path: string) => (await chooseServer(path, path)).program;

test("what the project installed is found, what the machine has comes first", async () => {
  const { root, bin } = await machine("./node_modules/.bin/yaml-language-server", "./sub/.venv/bin/ty");
  expect(await chosen(join(root, "sub/a.yaml"))).toBe(join(root, "node_modules/.bin/yaml-language-server"));
  expect(await chosen(join(root, "sub/a.py"))).toBe(join(root, "sub/.venv/bin/ty"));
  await program(join(bin, "yaml-language-server"));
  expect(await chosen(join(root, "sub/a.yaml"))).toBe(join(bin, "yaml-language-server"));
});

test("a relative entry of the PATH is no place for programs", async () => {
  const { root } = await machine("./tools/gopls");
  vi.stubEnv("PATH", `:.:${join("tools")}`);
  await expect(chosen(join(root, "a.go"))).rejects.toThrow(/^Language server 'gopls' not found\.\nInstall with: go install /);
});

test.each([
  [undefined, "ty"],
  ["", "ty"],
  ["nonsense", "ty"],
  ["basedpyright", "basedpyright-langserver"],
  ["pyright", "pyright-langserver"],
])("OMC_PYTHON_LSP=%s means %s, and the others stand in", async (value, command) => {
  const { root, bin } = await machine("ty", "basedpyright-langserver", "pyright-langserver");
  vi.stubEnv("OMC_PYTHON_LSP", value);
  expect(await chosen(join(root, "a.py"))).toBe(join(bin, command));
  expect(servers().find(({ key }) => key === "python")?.command).toBe(command);
  vi.stubEnv("PATH", join(root, "other"));
  await expect(chosen(join(root, "a.py"))).rejects.toThrow(`Language server '${command}' not found.`);
  await program(join(root, "other", "pyright-langserver"));
  expect(await chosen(join(root, "a.py"))).toBe(join(root, "other", "pyright-langserver"));
});

test("a project with TypeScript 7 gets that one, another the classic server with its TypeScript", async () => {
  const { root, bin } = await machine("typescript-language-server");
  const choice = async (path: string) => {
    const { definition, program: found } = await chooseServer(join(root, path), path);
    return { name: definition.name, found, tsserver: definition.options?.["tsserver"] };
  };
  const classic = { name: "TypeScript Language Server", found: join(bin, "typescript-language-server") };
  expect(await choice("a.ts")).toEqual({ ...classic, tsserver: { useSyntaxServer: "never" } });

  await file(join(root, "old/node_modules/typescript/package.json"), '{ "version": "5.9.3" }');
  await file(join(root, "old/node_modules/typescript/lib/tsserver.js"), "");
  expect(await choice("old/src/a.ts")).toEqual({
    ...classic,
    tsserver: { useSyntaxServer: "never", path: join(root, "old/node_modules/typescript/lib/tsserver.js") },
  });

  await file(join(root, "new/node_modules/typescript/package.json"), '{ "version": "7.0.2" }');
  expect(await choice("new/a.ts")).toMatchObject(classic); // its tsc is not there
  await program(join(root, "new/node_modules/typescript/bin/tsc"));
  await mkdir(join(root, "new/node_modules/.bin"));
  await symlink("../typescript/bin/tsc", join(root, "new/node_modules/.bin/tsc"));
  expect(await choice("new/a.ts")).toEqual({
    name: "TypeScript 7 Native Language Server (typescript-go)",
    found: join(root, "new/node_modules/.bin/tsc"),
    tsserver: undefined,
  });
});

test("a machine that has only TypeScript 7 gets that one", async () => {
  const { root, bin, folder } = await machine();
  const names = async () => (await chooseServer(join(root, "a.ts"), "a.ts")).definition.name;
  const lib = join(folder, "lib/node_modules");
  await program(join(lib, "typescript-language-server/lib/cli.mjs"));
  await mkdir(bin);
  await symlink(join(lib, "typescript-language-server/lib/cli.mjs"), join(bin, "typescript-language-server"));
  await file(join(lib, "typescript/package.json"), '{ "version": "7.0.2" }');
  await program(join(lib, "typescript/bin/tsc"));
  expect(await names()).toBe("TypeScript Language Server"); // no tsc on the PATH
  await symlink(join(lib, "typescript/bin/tsc"), join(bin, "tsc"));
  expect(await chooseServer(join(root, "a.ts"), "a.ts")).toMatchObject({ program: join(bin, "tsc"), definition: { args: ["--lsp", "--stdio"] } });
  vi.stubEnv("OMC_SECURITY", "strict");
  expect(await names()).toMatch(/^TypeScript 7 Native/);
  vi.stubEnv("OMC_SECURITY", undefined);

  await file(join(lib, "typescript/package.json"), '{ "version": "5.9.3" }');
  await file(join(lib, "typescript/lib/tsserver.js"), "");
  expect(await names()).toBe("TypeScript Language Server");
});

test("advice reads as a sentence after its label", () => {
  for (const { install } of [...servers(), ...PYTHON]) expect(install).not.toMatch(/^(install|download) /i);
  expect(servers()[0]?.install).toBe("npm install -g typescript-language-server typescript@5");
  expect(servers()[1]?.install).toContain("npm install -g pyright");
});

test("the list has the reference's rows in its order, then ours, and no extension twice", () => {
  const rows = servers();
  expect(rows.slice(0, 20).map(({ key }) => key).join(" ")).toBe(
    "typescript python rust go c java json html css vue yaml php ruby lua kotlin elixir csharp dart swift verilog",
  );
  const extensions = rows.flatMap((row) => row.extensions);
  expect(new Set(extensions).size).toBe(extensions.length);
});
