import { createHash } from "node:crypto";
import { mkdir, rename, unlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { git, makeProject, makeRepository, plainFolder, type Project } from "../test-support/project.js";
import { resolveWorkspace, WorkspaceError } from "./workspace.js";

function enter(dir: string, home: string): void {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(dir);
  vi.stubEnv("HOME", home);
  for (const name of ["OMC_STATE_DIR", "OMC_DISABLE_MULTIREPO"]) vi.stubEnv(name, undefined);
}

async function enterProject(): Promise<Project> {
  const project = await makeProject();
  enter(project.root, project.home);
  return project;
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);
const omcOf = async (dir?: string) => (await resolveWorkspace(dir)).omc;

describe("in a repository", () => {
  test.each([undefined, "", ".", "a/b", ".git", ".git/refs"])("%j is its root", async (given) => {
    const { root, omc } = await enterProject();
    await mkdir(join(root, "a", "b"), { recursive: true });
    const expected = { root, trustedRoot: root, omc, sessionsOmc: omc, fallbackOmc: undefined, isGit: true };
    expect(await resolveWorkspace(given)).toEqual(expected);
    if (given) expect(await resolveWorkspace(join(root, given))).toEqual(expected);
  });

  test("the server may stand in a sub-directory or in a linked worktree", async () => {
    const { root, home, folder } = await enterProject();
    await mkdir(join(root, "a", "b"), { recursive: true });
    enter(join(root, "a", "b"), home);
    expect(await resolveWorkspace()).toMatchObject({ root, omc: join(root, ".omc") });
    expect(await resolveWorkspace("../..")).toMatchObject({ root });
    const linked = join(folder, "linked");
    await git(root, "worktree", "add", "--quiet", linked);
    enter(linked, home);
    expect(await resolveWorkspace()).toMatchObject({ root: linked, omc: join(linked, ".omc") });
    expect(await resolveWorkspace(root)).toMatchObject({ root, trustedRoot: linked, omc: join(root, ".omc") });
  });

  test("another worktree is honoured, with its own .omc", async () => {
    const { root, folder } = await enterProject();
    const linked = join(folder, "linked");
    await git(root, "worktree", "add", "--quiet", linked);
    await mkdir(join(linked, "x"));
    expect(await resolveWorkspace(join(linked, "x"))).toMatchObject({ root: linked, omc: join(linked, ".omc"), trustedRoot: root });
  });

  test("another repository, nested or beside, is refused", async () => {
    const { root, folder } = await enterProject();
    const beside = await makeRepository(folder, "beside");
    const nested = await makeRepository(root, "nested");
    for (const dir of [beside, nested, "nested"]) {
      const refusal = resolveWorkspace(dir);
      await expect(refusal).rejects.toThrow(WorkspaceError);
      await expect(refusal).rejects.toThrow(`workingDirectory '${dir}' belongs to a different repository than 'project' and was not used`);
    }
  });

  test("a folder outside is refused; only the root's name is told", async () => {
    const { root, home, folder } = await enterProject();
    for (const dir of ["/", home, ".."]) {
      const message = await resolveWorkspace(dir).catch((error: Error) => error.message);
      expect(message).toContain("is outside the trusted worktree root 'project'");
      expect(message).not.toContain(root);
      if (dir === "..") expect(message).not.toContain(folder);
    }
  });

  test.each([
    ["none", "there is no such folder"],
    ["a\0b", "there is no such folder"],
    ["file", "git cannot be run there"],
  ])("%j cannot be judged", async (given, why) => {
    await enterProject();
    await writeFile("file", "");
    await expect(resolveWorkspace(given)).rejects.toThrow(`git probe failed and was not used (${why})`);
  });

  test("a damaged repository inside is not taken for a part of this one", async () => {
    const { root } = await enterProject();
    await mkdir(join(root, "sub", ".git"), { recursive: true });
    await expect(resolveWorkspace("sub")).rejects.toThrow("git probe failed and was not used");
    enter(join(root, "sub"), root);
    await expect(resolveWorkspace()).rejects.toThrow("git probe failed and was not used");
  });

  test("a bare repository inside is not used", async () => {
    const { root } = await enterProject();
    await git(root, "init", "--quiet", "--bare", "bare");
    await expect(resolveWorkspace("bare")).rejects.toThrow(WorkspaceError);
  });

  test("variables that redirect git do not redirect us", async () => {
    const { root, folder } = await enterProject();
    const other = await makeRepository(folder, "other");
    vi.stubEnv("GIT_DIR", join(other, ".git"));
    vi.stubEnv("GIT_WORK_TREE", other);
    expect(await resolveWorkspace()).toMatchObject({ root });
  });

  test("without git nothing is done", async () => {
    await enterProject();
    vi.stubEnv("PATH", "");
    await expect(resolveWorkspace()).rejects.toThrow("'project': git probe failed and was not used");
  });

  test("a warm call needs no git, until the repository changes", async () => {
    const { root, folder } = await enterProject();
    const linked = join(folder, "linked");
    await git(root, "worktree", "add", "--quiet", linked);
    await mkdir("sub");
    for (const dir of [undefined, "sub", linked]) await resolveWorkspace(dir);
    const path = process.env["PATH"];
    vi.stubEnv("PATH", "");
    for (const dir of [undefined, "sub", linked]) expect((await resolveWorkspace(dir)).isGit).toBe(true);
    vi.stubEnv("PATH", path);
    await git(join(root, "sub"), "init", "--quiet");
    await expect(resolveWorkspace("sub")).rejects.toThrow("different repository");
    await rename(join(root, ".git"), join(root, "gone"));
    expect(await resolveWorkspace()).toMatchObject({ isGit: false });
  });
});

test("submodules share the .omc of the outermost superproject", async () => {
  const { root, omc, home, folder } = await enterProject();
  const library = await makeRepository(folder, "library");
  const inner = await makeRepository(folder, "inner");
  const add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
  await git(library, ...add, inner, "inner");
  await git(library, "commit", "--quiet", "--message=inner");
  await git(root, ...add, library, "library");
  await git(join(root, "library"), "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
  for (const dir of ["library", "library/inner"]) {
    expect(await resolveWorkspace(dir)).toMatchObject({ root: join(root, dir), omc });
  }
  enter(join(root, "library", "inner"), home);
  expect(await resolveWorkspace()).toMatchObject({ root: join(root, "library", "inner"), omc });
  expect(await resolveWorkspace(root)).toMatchObject({ root, omc });
  vi.stubEnv("OMC_STATE_DIR", folder);
  const url = (await git(join(root, "library", "inner"), "remote", "get-url", "origin")).trim();
  expect(await omcOf()).toBe(join(folder, `inner-${hash(url)}`));
});

describe("without a repository", () => {
  test("each server directory has a place of its own below home, its sessions the common one", async () => {
    const { folder, home } = await enterProject();
    const dir = join(folder, "plain dir");
    await mkdir(join(dir, "child"), { recursive: true });
    enter(dir, home);
    const expected = {
      root: dir,
      trustedRoot: dir,
      omc: join(home, ".omc", "projects", `plain_dir-${hash(dir)}`),
      sessionsOmc: join(home, ".omc"),
      fallbackOmc: undefined,
      isGit: false,
    };
    expect(await resolveWorkspace()).toEqual(expected);
    expect(await resolveWorkspace("child")).toEqual({ ...expected, root: join(dir, "child") });
    await mkdir(join(home, ".omc"));
    expect(await resolveWorkspace()).toEqual({ ...expected, fallbackOmc: join(home, ".omc") });
    vi.stubEnv("OMC_STATE_DIR", join(folder, "central"));
    expect(await resolveWorkspace()).toMatchObject({
      omc: join(folder, "central", `plain_dir-${hash(dir)}`),
      sessionsOmc: join(folder, "central", "non-git"),
    });
  });

  test("the home folder's place is the common one", async () => {
    const { home } = await enterProject();
    enter(home, home);
    expect(await resolveWorkspace()).toMatchObject({ omc: join(home, ".omc"), sessionsOmc: join(home, ".omc") });
  });

  test("a repository in it, and a folder outside, are refused", async () => {
    const { folder, home, root } = await enterProject();
    enter(folder, home);
    await expect(resolveWorkspace(root)).rejects.toThrow(`belongs to a different repository than '${basename(folder)}'`);
    await expect(resolveWorkspace("..")).rejects.toThrow("is outside the trusted worktree root");
  });

  test.each(["/", "", "relative"])("a home of '%s' is no place for .omc", async (home) => {
    const { folder } = await enterProject();
    enter(folder, home);
    await expect(resolveWorkspace()).rejects.toThrow("which is no place for .omc; set OMC_STATE_DIR");
    vi.stubEnv("OMC_STATE_DIR", join(folder, "central"));
    expect(await resolveWorkspace()).toMatchObject({ sessionsOmc: join(folder, "central", "non-git") });
  });

  test("a repository needs no home, unless OMC_STATE_DIR does", async () => {
    const { root } = await enterProject();
    enter(root, "");
    expect(await omcOf()).toBe(join(root, ".omc"));
    vi.stubEnv("OMC_STATE_DIR", "~/states");
    await expect(resolveWorkspace()).rejects.toThrow("HOME names no folder");
  });

  test("a long path is not told in full", async () => {
    await enterProject();
    const told = `workingDirectory '${"x".repeat(300)}… (9000 characters)': git probe failed and was not used`;
    await expect(resolveWorkspace("x".repeat(9_000))).rejects.toThrow(told);
  });
});

describe("OMC_STATE_DIR", () => {
  test("has a folder for each repository, by its origin or its main worktree", async () => {
    const { root, folder } = await enterProject();
    vi.stubEnv("OMC_STATE_DIR", join(folder, "central"));
    expect(await omcOf()).toBe(join(folder, "central", `project-${hash(root)}`));
    const linked = join(folder, "linked");
    await git(root, "worktree", "add", "--quiet", linked);
    expect(await omcOf(linked)).toBe(join(folder, "central", `project-${hash(root)}`));
    await git(root, "remote", "add", "origin", "https://example.com/x.git");
    expect(await omcOf()).toBe(join(folder, "central", `project-${hash("https://example.com/x.git")}`));
  });

  test("may start with ~, and what the literal name holds is still found", async () => {
    const { root, home } = await enterProject();
    vi.stubEnv("OMC_STATE_DIR", "~/states");
    const id = `project-${hash(root)}`;
    expect(await resolveWorkspace()).toMatchObject({ omc: join(home, "states", id), fallbackOmc: undefined });
    await mkdir(join(root, "~", "states", id), { recursive: true });
    expect(await resolveWorkspace()).toMatchObject({ omc: join(home, "states", id), fallbackOmc: join(root, "~", "states", id) });
    vi.stubEnv("OMC_STATE_DIR", "~");
    expect(await omcOf()).toBe(join(home, id));
    vi.stubEnv("OMC_STATE_DIR", "states");
    expect(await omcOf()).toBe(join(root, "states", id));
  });
});

describe("a workspace marker", () => {
  /** A workspace of two repositories. Temporary folders cannot be anchors. */
  async function enterWorkspaceFolder(): Promise<{ anchor: string; a: string; home: string }> {
    const folder = await plainFolder("omc-test-ws-");
    const [anchor, home] = [join(folder, "ws"), join(folder, "home")] as const;
    await mkdir(anchor);
    await mkdir(home);
    const a = await makeRepository(anchor, "a");
    await makeRepository(anchor, "b");
    enter(a, home);
    return { anchor, a, home };
  }

  test("makes its repositories share one .omc", async () => {
    const { anchor, a, home } = await enterWorkspaceFolder();
    expect(await omcOf()).toBe(join(a, ".omc"));
    await writeFile(join(anchor, ".omc-workspace"), "");
    expect(await resolveWorkspace()).toMatchObject({ root: a, omc: join(anchor, ".omc") });
    enter(join(anchor, "b"), home);
    expect(await omcOf()).toBe(join(anchor, ".omc"));
    vi.stubEnv("OMC_DISABLE_MULTIREPO", "1");
    expect(await omcOf()).toBe(join(anchor, "b", ".omc"));
  });

  test.each([
    ['{"id":"my ws"}', () => "my_ws-481dd71e620d703a"],
    ["", (anchor: string) => `ws-${hash(anchor)}`],
    ["{bad", (anchor: string) => `ws-${hash(anchor)}`],
    ["null", (anchor: string) => `ws-${hash(anchor)}`],
  ])("%j names the folder in OMC_STATE_DIR", async (content, expected) => {
    const { anchor, home } = await enterWorkspaceFolder();
    await writeFile(join(anchor, ".omc-workspace"), content);
    vi.stubEnv("OMC_STATE_DIR", home);
    expect(await omcOf()).toBe(join(home, expected(anchor)));
  });

  test("is not looked for in the home folder and above, nor heeded in personal folders", async () => {
    const { anchor, a } = await enterWorkspaceFolder();
    await writeFile(join(anchor, ".omc-workspace"), "");
    vi.stubEnv("HOME", anchor);
    expect(await omcOf()).toBe(join(a, ".omc"));
    const personal = join(anchor, "Documents");
    await mkdir(personal);
    await writeFile(join(personal, ".omc-workspace"), "");
    enter(await makeRepository(personal, "c"), join(anchor, "a"));
    await unlink(join(anchor, ".omc-workspace"));
    expect(await omcOf()).toBe(join(personal, "c", ".omc"));
  });

  test("is not heeded under the temporary folder", async () => {
    const { folder, omc } = await enterProject();
    await writeFile(join(folder, ".omc-workspace"), "");
    expect(await omcOf()).toBe(omc);
  });
});
