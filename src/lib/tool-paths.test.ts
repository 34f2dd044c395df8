import { execFileSync } from "node:child_process";
import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { git, makeProject, makeRepository } from "../test-support/project.js";
import { readSecuritySettings } from "./tool-paths.js";

const OFF = { strict: false, restrictToolPaths: false, pythonSandbox: false };
const STRICT = { strict: true, restrictToolPaths: true, pythonSandbox: true };

describe("the settings", () => {
  const cases: { name: string; env?: Record<string, string>; project?: string; user?: string; expected: object }[] = [
    { name: "nothing said", expected: OFF },
    { name: "strict turns all on", env: { OMC_SECURITY: "strict" }, expected: STRICT },
    { name: "another word than strict", env: { OMC_SECURITY: "STRICT" }, expected: OFF },
    { name: "a file turns one on", project: '{"security":{"restrictToolPaths":true}}', expected: { ...OFF, restrictToolPaths: true } },
    { name: "comments and commas", project: '// c\n{"security":{"pythonSandbox":true,/* x */},}', expected: { ...OFF, pythonSandbox: true } },
    { name: "strict is not loosened", env: { OMC_SECURITY: "strict" }, project: '{"security":{"restrictToolPaths":false}}', expected: STRICT },
    { name: "the project's file comes first, whole", project: '{"security":{}}', user: '{"security":{"restrictToolPaths":true}}', expected: OFF },
    { name: "without the object the next counts", project: '{"a":1}', user: '{"security":{"restrictToolPaths":true}}', expected: { ...OFF, restrictToolPaths: true } },
    { name: "a list is no object", project: '{"security":[1]}', user: '{"security":{"pythonSandbox":true}}', expected: { ...OFF, pythonSandbox: true } },
    { name: "only true is true", project: '{"security":{"restrictToolPaths":"yes"}}', expected: OFF },
    { name: "not JSON at all", project: "]]", expected: OFF },
  ];

  test.each(cases)("$name", async ({ env = {}, project, user, expected }) => {
    const { root, home } = await makeProject();
    if (project !== undefined) await write(join(root, ".claude", "omc.jsonc"), project);
    if (user !== undefined) await write(join(home, ".config", "claude-omc", "config.jsonc"), user);
    expect(await readSecuritySettings({ cwd: root, env, platform: "linux", home })).toEqual(expected);
  });

  test("a pipe with the name of the project's file is not waited for", async () => {
    const { root, home } = await makeProject();
    await mkdir(join(root, ".claude"));
    execFileSync("mkfifo", [join(root, ".claude", "omc.jsonc")]);
    expect(await readSecuritySettings({ cwd: root, env: { OMC_SECURITY: "strict" }, platform: "linux", home })).toEqual(STRICT);
  });

  test("the user's file lies where the system keeps such files", async () => {
    const { root, home, folder } = await makeProject();
    await write(join(folder, "xdg", "claude-omc", "config.jsonc"), '{"security":{"restrictToolPaths":true}}');
    const place = join(folder, "xdg");
    const read = (platform: NodeJS.Platform, env: Record<string, string>) => readSecuritySettings({ cwd: root, env, platform, home });
    expect(await read("linux", { XDG_CONFIG_HOME: place })).toMatchObject({ restrictToolPaths: true });
    expect(await read("win32", { APPDATA: place })).toMatchObject({ restrictToolPaths: true });
    expect(await read("win32", { XDG_CONFIG_HOME: place })).toEqual(OFF);
  });
});

describe("allowed paths", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.resetModules();
  });

  /** The module as a process sees it that was started in `cwd`. */
  async function startedIn(cwd: string, security: string) {
    vi.resetModules();
    vi.spyOn(process, "cwd").mockReturnValue(cwd);
    vi.stubEnv("OMC_SECURITY", security);
    const { allowedPath } = await import("./tool-paths.js");
    return (path: string) => allowedPath(join(cwd, path));
  }

  test("without restriction any path is resolved, links followed", async () => {
    const { root, folder } = await makeProject();
    await symlink(folder, join(root, "out"));
    const allowed = await startedIn(root, "");
    expect(await allowed("out/new/file.ts")).toBe(join(folder, "new", "file.ts"));
    expect(await allowed("..")).toBe(folder);
  });

  test("with it, everything of the repository and nothing else", async () => {
    const { root, folder } = await makeProject();
    await mkdir(join(root, "src"));
    await symlink(folder, join(root, "out"));
    await symlink(join(folder, "nowhere"), join(root, "dangling"));
    const allowed = await startedIn(join(root, "src"), "strict");
    expect(await allowed("..")).toBe(root);
    expect(await allowed("../other/new.ts")).toBe(join(root, "other", "new.ts"));
    for (const path of ["../..", "../out/home", "../out/new.ts", `../../${root.split("/").at(-1)}-sibling`]) {
      await expect(allowed(path), path).rejects.toThrow(/^Path restricted: .* outside the project 'project'/);
    }
  });

  test("a submodule stays in itself", async () => {
    const { root, folder } = await makeProject();
    const library = await makeRepository(folder, "library");
    await git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
    const allowed = await startedIn(join(root, "lib"), "strict");
    expect(await allowed(".")).toBe(join(root, "lib"));
    await expect(allowed("..")).rejects.toThrow("Path restricted:");
  });

  test("without a repository the server's folder is the project; a linked one counts as its target", async () => {
    const { folder, home } = await makeProject();
    await symlink(home, join(folder, "link"));
    const allowed = await startedIn(join(folder, "link"), "strict");
    expect(await allowed("a.ts")).toBe(join(await realpath(home), "a.ts"));
    await expect(allowed("..")).rejects.toThrow("Path restricted:");
  });

  test("when git cannot be asked nothing is allowed", async () => {
    const { root } = await makeProject();
    const allowed = await startedIn(root, "strict");
    vi.stubEnv("PATH", root);
    await expect(allowed("a.ts")).rejects.toThrow(/^Path restricted: .*git was not found/);
  });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, text);
}
