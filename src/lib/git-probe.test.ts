import { chmod, mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { removeFolder, temporaryFolder } from "../test-support/folders.js";
import { git, makeProject } from "../test-support/project.js";
import { askGit, originUrl, primaryRoot, type Repository } from "./git-probe.js";

const makeFolder = () => temporaryFolder("omc-probe-");

/** Puts a program in git's place that notes each call and answers as told. Returns the file of notes. */
async function replaceGit(answer: string): Promise<string> {
  const folder = await makeFolder();
  const notes = join(folder, "calls");
  await writeFile(join(folder, "git"), `#!/bin/sh\necho "$PWD $*" >> '${notes}'\n${answer}\n`);
  await chmod(join(folder, "git"), 0o755);
  vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
  return notes;
}

async function asRepository(dir: string): Promise<Repository> {
  const answer = await askGit(dir);
  if (answer.kind !== "repository") throw new Error(`${dir}: ${answer.kind}`);
  return answer;
}

describe("what git's answers mean", () => {
  test.each([
    ["no repository", 'echo "fatal: not a git repository (or any of the parent directories): .git" >&2; exit 128', "none"],
    ["a bare repository", 'echo "fatal: this operation must be run in a work tree" >&2; exit 128', "none"],
    ["somebody else's repository", 'echo "fatal: detected dubious ownership in repository" >&2; exit 128', "failed", "safe.directory"],
    ["a crash", "kill -SEGV $$", "failed", "git could not be run: SIGSEGV"],
    ["another exit code", 'echo "not a git repository" >&2; exit 1', "failed", "git ended with code 1"],
    ["too little", 'echo "$PWD/.git"', "failed", "cannot be understood"],
    ["a path with line breaks", 'printf "%s/.git\\n%s\\nx\\ny\\n" "$PWD" "$PWD"', "failed", "cannot be understood"],
    ["a folder that is not there", 'printf "%s/.git\\n/none\\n" "$PWD"', "failed", "a folder that is not there"],
    ["a toplevel without .git", 'printf "%s/.git\\n/\\n" "$PWD"', "failed", "past the nearest .git"],
    ["a repository", 'printf "%s/.git\\n%s\\n" "$PWD" "$PWD"', "repository"],
    ["a submodule", 'printf "%s/.git\\n%s\\n/above\\n" "$PWD" "$PWD"', "repository"],
    ["a repository, told by an old git", 'printf "%s\\n.git\\n%s\\n" --path-format=absolute "$PWD"', "repository"],
    ["a damaged repository", 'echo "fatal: bad config line 1" >&2; exit 128', "failed", "git refuses the repository"],
  ])("%s", async (_, answer, kind, why = "") => {
    const dir = await makeFolder();
    await mkdir(join(dir, ".git"));
    await replaceGit(answer);
    const got = await askGit(dir);
    expect(got.kind).toBe(kind);
    if (got.kind === "failed") expect(got.why).toContain(why);
    if (got.kind === "repository") expect(got).toMatchObject({ toplevel: dir, commonDir: join(dir, ".git") });
  });

  test("git that is not installed", async () => {
    vi.stubEnv("PATH", await makeFolder());
    expect(await askGit(await makeFolder())).toEqual({ kind: "failed", why: "git was not found on PATH" });
  });

  test("a folder that is not there", async () => {
    expect(await askGit(join(await makeFolder(), "none"))).toMatchObject({ kind: "failed" });
  });
});

describe("how often git is asked", () => {
  const REPOSITORY = 'top="$PWD"; while [ ! -d "$top/.git" ]; do top="${top%/*}"; done; printf "%s/.git\\n%s\\n" "$top" "$top"';
  const calls = async (notes: string) => (await readFile(notes, "utf8").catch(() => "")).split("\n").length - 1;

  test("once for many at the same time, and once for all later", async () => {
    const dir = await makeFolder();
    await mkdir(join(dir, ".git"));
    const notes = await replaceGit(REPOSITORY);
    await Promise.all(Array.from({ length: 10 }, () => askGit(dir)));
    await askGit(dir);
    expect(await calls(notes)).toBe(1);
  });

  test("again when .git is another one, is gone, or one has appeared below", async () => {
    const dir = await makeFolder();
    await mkdir(join(dir, "sub", "deep"), { recursive: true });
    await mkdir(join(dir, ".git"));
    const notes = await replaceGit(REPOSITORY);
    const deep = join(dir, "sub", "deep");
    expect(await asRepository(deep)).toMatchObject({ toplevel: dir });
    await mkdir(join(dir, "sub", ".git"));
    expect(await asRepository(deep)).toMatchObject({ toplevel: join(dir, "sub") });
    expect(await calls(notes)).toBe(2);
    await removeFolder(join(dir, "sub", ".git"));
    expect(await asRepository(deep)).toMatchObject({ toplevel: dir });
    expect(await calls(notes)).toBe(3);
  });

  test("what happens inside .git does not matter", async () => {
    const { root } = await makeProject();
    await asRepository(root);
    await git(root, "commit", "--quiet", "--allow-empty", "--message=more");
    const notes = await replaceGit("exit 1");
    await asRepository(root);
    expect(await calls(notes)).toBe(0);
  });

  test("failures are not kept", async () => {
    const dir = await makeFolder();
    await mkdir(join(dir, ".git"));
    await replaceGit("exit 1");
    expect(await askGit(dir)).toEqual({ kind: "failed", why: "git ended with code 1" });
    await replaceGit(REPOSITORY);
    await asRepository(dir);
  });

  test("that there is no repository is kept until one is made", async () => {
    const dir = await makeFolder();
    expect(await askGit(dir)).toEqual({ kind: "none" });
    const path = process.env["PATH"];
    const notes = await replaceGit("exit 1");
    expect(await askGit(dir)).toEqual({ kind: "none" });
    expect(await calls(notes)).toBe(0);
    vi.stubEnv("PATH", path);
    await git(dir, "init", "--quiet");
    expect(await asRepository(dir)).toMatchObject({ toplevel: dir });
  });
});

test("the origin is read again when the configuration has changed", async () => {
  const { root } = await makeProject();
  const repository = await asRepository(root);
  expect(await originUrl(repository)).toBeUndefined();
  await git(root, "remote", "add", "origin", "https://example.com/a.git");
  expect(await originUrl(repository)).toBe("https://example.com/a.git");
  await git(root, "remote", "set-url", "origin", "https://example.com/b.git");
  expect(await originUrl(repository)).toBe("https://example.com/b.git");
});

test("a folder reached by a link has the real toplevel", async () => {
  const { root, folder } = await makeProject();
  await symlink(root, join(folder, "link"));
  expect(await asRepository(await realpath(join(folder, "link")))).toMatchObject({ toplevel: root });
});

test.each([
  ["/w/p/.git", "/w/p", "/w/p"],
  ["/w/p/.git", "/w/linked", "/w/p"],
  ["/w/p/.git/modules/sub", "/w/p/sub", "/w/p/sub"],
  ["/stores/p.git", "/w/linked", "/w/linked"],
])("the primary root of %s seen from %s is %s", (commonDir, toplevel, expected) => {
  expect(primaryRoot({ kind: "repository", commonDir, toplevel, superproject: undefined })).toBe(expected);
});
