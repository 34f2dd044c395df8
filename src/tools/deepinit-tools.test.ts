/** `deepinit_manifest` through the built server: answers, the file, roots that share a folder, what cannot be looked at. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { removeFolder } from "../test-support/folders.js";
import { git, makeProject, makeRepository, plainFolder } from "../test-support/project.js";
import { startServer, type TestServer } from "../test-support/server.js";

const run = promisify(execFile);
const TOOL = "deepinit_manifest";

async function plant(root: string, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), "x");
  }
}

async function open(...paths: string[]) {
  const project = await makeProject();
  await plant(project.root, ...paths);
  return { ...project, file: join(project.omc, "deepinit-manifest.json"), server: await startServer(project) };
}

async function said(server: TestServer, args: Record<string, unknown>): Promise<string> {
  const { text, isError } = await server.call(TOOL, args);
  expect(isError, text).toBe(false);
  return text;
}

async function json(server: TestServer, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  return JSON.parse(await said(server, args));
}

/** `path status` of each entry. */
async function changes(server: TestServer, args: Record<string, unknown> = {}): Promise<string[]> {
  const { entries } = await json(server, { action: "diff", ...args });
  return (entries as { path: string; status: string }[]).map(({ path, status }) => `${path} ${status}`);
}

describe("what it answers", () => {
  it("check, before and after a save", async () => {
    const { server } = await open("a/b.ts");
    expect(await json(server, { action: "check" })).toEqual({ exists: false, valid: false, directoryCount: 0, generatedAt: null });
    await said(server, { action: "save" });
    expect(await json(server, { action: "check" })).toMatchObject({ exists: true, valid: true, directoryCount: 1 });
  });

  it("save, in the format of version 1, for the owner alone", async () => {
    const { server, file } = await open("z.ts", ".hidden", "src/b.ts", "src/a.ts", "src/empty/deep/x");
    const lines = (await said(server, { action: "save" })).split("\n");
    expect(lines).toHaveLength(5);
    expect(lines.slice(0, 4)).toEqual(["Manifest saved successfully.", "", `Path: ${file}`, "Directories tracked: 3"]);
    const text = await readFile(file, "utf8");
    const { generatedAt, ...rest } = JSON.parse(text);
    expect(lines[4]).toBe(`Generated at: ${generatedAt}`);
    expect(rest).toEqual({
      version: 1,
      directories: { ".": { files: [".hidden", "z.ts"] }, src: { files: ["a.ts", "b.ts"] }, "src/empty/deep": { files: ["x"] } },
    });
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(file))).toEqual(["deepinit-manifest.json"]);
  });

  it("a dry run, which writes nothing", async () => {
    const { server, omc } = await open("a/b.ts");
    const text = await said(server, { action: "save", dryRun: true });
    expect(text).toMatch(/^Dry run.*NOT written\.\n\nDirectories tracked: 1\n\n```json\n\{\n {2}"version": 1,/);
    expect(JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)).directories).toEqual({ a: { files: ["b.ts"] } });
    await expect(readdir(omc)).rejects.toThrow("ENOENT");
  });

  it("diff: a first run, then only what changed, with the folders above", async () => {
    const { server, root } = await open("f1", "a/one", "a/b/g", "gone/x", "same/y");
    expect(await json(server, { action: "diff" })).toMatchObject({
      mode: "incremental",
      manifestExists: false,
      entries: [{ path: ".", status: "added", reason: "first run (no manifest)" }, {}, {}, {}, {}],
      summary: { total: 5, added: 5, deleted: 0, modified: 0, unchanged: 0 },
    });
    await said(server, { action: "save" });
    expect(await json(server, { action: "diff" })).toMatchObject({ entries: [], summary: { total: 5, unchanged: 5 } });
    await removeFolder(join(root, "gone"));
    await plant(root, "a/b/new/n", "a/b/h");
    await unlink(join(root, "a/b/g"));
    expect(await json(server, { action: "diff" })).toEqual({
      mode: "incremental",
      manifestExists: true,
      entries: [
        { path: ".", status: "modified", reason: "child directory added: a/b/new" },
        { path: "a", status: "modified", reason: "child directory added: a/b/new" },
        { path: "a/b", status: "modified", reason: "files added: h; files removed: g" },
        { path: "a/b/new", status: "added", reason: "new directory" },
        { path: "gone", status: "deleted", reason: expect.any(String) },
      ],
      summary: { total: 6, added: 1, deleted: 1, modified: 3, unchanged: 1 },
    });
    expect(await changes(server, { mode: "full" })).toEqual([". added", "a added", "a/b added", "a/b/new added", "same added"]);
  });

  it.each([
    [{ action: "save", mode: "full" }, "Error: 'mode' parameter"],
    [{ action: "check", mode: "full" }, "Error: 'mode' parameter"],
    [{ action: "diff", dryRun: true }, "Error: 'dryRun' parameter"],
    [{ action: "check", dryRun: true }, "Error: 'dryRun' parameter"],
    [{ action: "check", mode: "full", dryRun: true }, "Error: 'mode' parameter"],
    [{ action: "prune" }, 'Invalid action: expected one of "diff", "save", "check", got "prune"'],
    [{ action: "diff", mode: "all" }, "Invalid mode"],
    [{}, "Missing action"],
  ])("refuses %j", async (args, words) => {
    const { server, omc } = await open("a/b");
    const { text, isError } = await server.call(TOOL, args);
    expect([isError, text]).toEqual([true, expect.stringContaining(words)]);
    await expect(readdir(omc)).rejects.toThrow("ENOENT");
  });

  it("lets parameters pass that say what is so anyway", async () => {
    const { server } = await open("a/b");
    await said(server, { action: "check", mode: "incremental", dryRun: false });
  });
});

describe("what it looks at", () => {
  it("leaves out hidden and generated folders and links, and takes any name", async () => {
    const odd = ["__proto__/x", "constructor/x", "日本/ファイル", "a b/`c`", "Build/x", "10/x", "9/x"];
    const { server, root } = await open(...odd, "node_modules/x", "dist/x", "src/build/x", "src/__pycache__/x", "coverage/x", ".next/x");
    await symlink(root, join(root, "loop"));
    await symlink("/etc/hosts", join(root, "link"));
    const names = odd.map((path) => dirname(path));
    expect((await changes(server)).toSorted()).toEqual(names.map((name) => `${name} added`).toSorted());
    await said(server, { action: "save" });
    expect(await changes(server)).toEqual([]);
  });

  it.each(["{", "null", "[]", '{"version":2,"directories":{}}', '{"version":1,"directories":[]}', '{"version":1,"directories":{"a":{"files":[1]}}}'])(
    "takes %s for no manifest, says so, and replaces it",
    async (content) => {
      const { server, file } = await open("a/b");
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      expect(await json(server, { action: "check" })).toEqual({ exists: true, valid: false, directoryCount: 0, generatedAt: null });
      expect(await json(server, { action: "diff" })).toMatchObject({
        manifestExists: true,
        entries: [{ path: "a", status: "added" }],
        notices: [expect.stringContaining("not a valid one")],
      });
      await said(server, { action: "save" });
      expect(await changes(server)).toEqual([]);
    },
  );

  it("does not follow a link in the manifest's place", async () => {
    const { server, file, folder } = await open("a/b");
    const secret = join(folder, "secret.json");
    await writeFile(secret, "{}");
    await mkdir(dirname(file), { recursive: true });
    await symlink(secret, file);
    for (const action of ["check", "diff", "save"]) {
      const { text, isError } = await server.call(TOOL, { action });
      expect([isError, text]).toEqual([true, expect.stringContaining(`Error in deepinit_manifest (${action}): `)]);
      expect(text).not.toContain(folder);
    }
    expect(await readFile(secret, "utf8")).toBe("{}");
  });

  it("says what is too deep, and does not take it for deleted", async () => {
    const deep = Array.from({ length: 52 }, () => "d").join("/");
    const { server, file } = await open("a/b");
    await said(server, { action: "save" });
    const manifest = JSON.parse(await readFile(file, "utf8"));
    manifest.directories[deep] = { files: ["known"] };
    await writeFile(file, JSON.stringify(manifest));
    await plant(dirname(dirname(file)), `${deep}/x`);
    const { entries, notices } = await json(server, { action: "diff" });
    expect([entries, notices]).toEqual([[], [expect.stringContaining("more than 50 levels deep: 1 folder")]]);
    expect(await said(server, { action: "save" })).toContain("\nNote: not looked at, with all below, more than 50 levels deep");
    expect(JSON.parse(await readFile(file, "utf8")).directories[deep]).toEqual({ files: ["known"] });
  });

  it("is done with a large tree before long, and answers others meanwhile", async () => {
    const { server, root } = await open();
    await run("sh", ["-c", "for a in $(seq 30); do mkdir -p w/$a; (cd w/$a; mkdir $(seq 100); for b in $(seq 100); do : >$b/f; done); done"], { cwd: root });
    const scan = json(server, { action: "diff" });
    const first = await Promise.race([scan.then(() => "diff"), server.request("ping").then(() => "ping")]);
    expect(first).toBe("ping");
    expect((await scan)["summary"]).toMatchObject({ total: 3000 });
  });
});

describe("which project it means", () => {
  it("a linked worktree has its own files and its own manifest", async () => {
    const { server, root, folder, file } = await open("main/x");
    const tree = join(folder, "tree");
    await git(root, "worktree", "add", "--quiet", tree);
    await plant(tree, "other/x");
    expect(await changes(server, { workingDirectory: tree })).toContain("other added");
    expect(await said(server, { action: "save", workingDirectory: tree })).toContain(`Path: ${join(tree, ".omc")}`);
    await expect(stat(file)).rejects.toThrow("ENOENT");
  });

  it("a folder of the repository means its root", async () => {
    const { server } = await open("a/x", "b/y");
    expect(await changes(server, { workingDirectory: "a" })).toEqual(["a added", "b added"]);
  });

  it("another repository and a folder that is not there are refused", async () => {
    const { server, folder, omc } = await open("a/x");
    const other = await makeRepository(folder, "other");
    for (const [workingDirectory, words] of [
      [other, "belongs to a different repository than 'project'"],
      [folder, "is outside the trusted worktree root 'project'"],
      [join(folder, "none"), "git probe failed"],
      ["a\0b", "git probe failed"],
    ]) {
      const { text, isError } = await server.call(TOOL, { action: "save", workingDirectory });
      expect([isError, text]).toEqual([true, expect.stringContaining(words as string)]);
    }
    await expect(readdir(omc)).rejects.toThrow("ENOENT");
    await expect(readdir(join(other, ".omc"))).rejects.toThrow("ENOENT");
  });

  it("directories without a repository do not overwrite each other's manifest", async () => {
    const folder = await plainFolder("omc-plain-");
    await plant(folder, "home/h", "one/a/x", "two/b/x", "one/sub/c/x");
    const home = join(folder, "home");
    const [one, two] = await Promise.all(["one", "two"].map((name) => startServer({ root: join(folder, name), home })));
    if (one === undefined || two === undefined) throw new Error("not started");
    await said(one, { action: "save" });
    await said(two, { action: "save" });
    await said(one, { action: "save", workingDirectory: "sub" });
    for (const [server, args] of [[one, {}], [two, {}], [one, { workingDirectory: "sub" }]] as const) {
      expect(await changes(server, args)).toEqual([]);
    }
  });

  it("repositories of one workspace do not overwrite each other's manifest", async () => {
    const folder = await plainFolder("omc-plain-");
    await plant(folder, "home/h", ".omc-workspace");
    const [one, two] = [await makeRepository(folder, "one"), await makeRepository(folder, "two")];
    await plant(folder, "one/a/x", "two/b/x");
    const home = join(folder, "home");
    for (const root of [one, two]) await said(await startServer({ root, home }), { action: "save" });
    for (const root of [one, two]) expect(await changes(await startServer({ root, home }))).toEqual([]);
    expect((await readdir(join(folder, ".omc"))).toSorted()).toEqual([
      expect.stringMatching(/^deepinit-manifest-one-[\da-f]{16}\.json$/),
      expect.stringMatching(/^deepinit-manifest-two-[\da-f]{16}\.json$/),
    ]);
  });

  it("many saves at once leave one whole manifest", async () => {
    const { server, root, home, file } = await open("a/b");
    const second = await startServer({ root, home });
    await Promise.all(Array.from({ length: 20 }, (_, turn) => said(turn % 2 === 0 ? server : second, { action: "save" })));
    expect(JSON.parse(await readFile(file, "utf8")).directories).toEqual({ a: { files: ["b"] } });
    expect(await readdir(dirname(file))).toEqual(["deepinit-manifest.json"]);
  });
});
