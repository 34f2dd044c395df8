import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { git, makeProject, makeRepository, type Project } from "../../test-support/project.js";
import { makeChange } from "./asking.js";
import { gatherGitEvidence, type GitEvidence } from "./git-evidence.js";

const { signal } = new AbortController();
const gather = ({ root }: Project, baseRef?: string): Promise<GitEvidence> => gatherGitEvidence(root, baseRef, signal);

async function commit(root: string, name: string, text: string): Promise<void> {
  await writeFile(join(root, name), text);
  await git(root, "add", name);
  await git(root, "commit", "--quiet", `--message=${name}`);
}

describe("what has changed", () => {
  test("in the worktree, in the index, and beside them", async () => {
    const project = await makeProject();
    await makeChange(project);
    await writeFile(join(project.root, "staged.txt"), "s\n");
    await git(project.root, "add", "staged.txt");
    await writeFile(join(project.root, "new.txt"), "n\n");
    expect(await gather(project)).toEqual({
      changedFiles: ["a.txt", "staged.txt"],
      untrackedFiles: ["new.txt"],
      status: " M a.txt\nA  staged.txt\n?? new.txt",
      diffStat: expect.stringContaining("2 files changed"),
      missing: [],
      baseRef: "",
      since: "HEAD",
    });
  });

  test("in a repository without commits", async () => {
    const project = await makeProject();
    const root = join(project.folder, "empty");
    await mkdir(root);
    await git(root, "init", "--quiet");
    await writeFile(join(root, "first.txt"), "1\n");
    await git(root, "add", "first.txt");
    expect(await gather({ ...project, root })).toMatchObject({ changedFiles: ["first.txt"], diffStat: expect.stringContaining("first.txt"), missing: [] });
  });

  test("does not include OMC's own files", async () => {
    const project = await makeProject();
    await mkdir(join(project.omc, "state"), { recursive: true });
    await writeFile(join(project.omc, "state", "x.json"), "{}");
    expect(await gather(project)).toMatchObject({ changedFiles: [], untrackedFiles: [], status: "", diffStat: "" });
    await git(project.root, "add", ".omc");
    expect(await gather(project)).toMatchObject({ changedFiles: [], status: "", diffStat: "" });
  });

  test("names are told on one line each, whatever is in them", async () => {
    const project = await makeProject();
    await commit(project.root, "é b.txt", "1");
    await commit(project.root, "line\nbreak.txt", "1");
    for (const name of ["é b.txt", "line\nbreak.txt"]) await writeFile(join(project.root, name), "2");
    expect((await gather(project)).changedFiles).toEqual(['"line\\nbreak.txt"', "é b.txt"]);
  });

  test("of many files only the first are listed, and how many there are", async () => {
    const project = await makeProject();
    const names = Array.from({ length: 700 }, (_, at) => `f${String(at).padStart(3, "0")}.txt`);
    await Promise.all(names.map((name) => writeFile(join(project.root, name), name)));
    await git(project.root, "add", ".");
    const found = await gather(project);
    expect(found.changedFiles).toEqual(names.slice(0, 500));
    expect(found.missing).toEqual(["700 changed files; only the first 500 are listed"]);
    expect(found.status.split("\n")).toHaveLength(501);
    expect(found.status).toMatch(/… 200 more lines$/);
    expect(found.diffStat).toContain("700 files changed");
    expect(found.diffStat.length).toBeLessThan(21_000);
  });
});

describe("what it is compared with", () => {
  test("a base that is given, from where the branch left it", async () => {
    const project = await makeProject();
    await git(project.root, "branch", "release");
    await commit(project.root, "mine.txt", "1");
    await git(project.root, "checkout", "--quiet", "release");
    await commit(project.root, "theirs.txt", "1");
    await git(project.root, "checkout", "--quiet", "main");
    expect(await gather(project, "release")).toMatchObject({ changedFiles: ["mine.txt"], baseRef: "release", missing: [] });
    expect((await gather(project, "release")).diffStat).toContain("mine.txt");
  });

  test("the upstream, else the remote's main branch, else nothing; that is no fault", async () => {
    const project = await makeProject();
    const clone = join(project.folder, "clone");
    await git(project.folder, "clone", "--quiet", project.root, clone);
    await commit(clone, "mine.txt", "1");
    expect(await gather({ ...project, root: clone })).toMatchObject({ changedFiles: ["mine.txt"], baseRef: "@{upstream}" });
    await git(clone, "checkout", "--quiet", "-b", "topic");
    expect(await gather({ ...project, root: clone })).toMatchObject({ changedFiles: ["mine.txt"], baseRef: "origin/HEAD" });
    await git(clone, "remote", "remove", "origin");
    expect(await gather({ ...project, root: clone })).toMatchObject({ changedFiles: [], baseRef: "", missing: [] });
  });

  test.each(["nowhere", "HEAD:a.txt", "^main", "@{99}", "HEAD^{tree}"])("base %s is no commit, which is said", async (base) => {
    const project = await makeProject();
    await makeChange(project);
    const found = await gather(project, base);
    expect(found.changedFiles).toEqual(["a.txt"]);
    expect(found.missing).toEqual([`baseRef '${base}' names no commit here, so commits since then are not counted`]);
  });

  test("a base without a common commit", async () => {
    const project = await makeProject();
    await git(project.root, "checkout", "--quiet", "--orphan", "other");
    await commit(project.root, "x.txt", "1");
    await git(project.root, "checkout", "--quiet", "main");
    expect((await gather(project, "other")).missing).toEqual([expect.stringContaining("have no common commit")]);
  });
});

describe("a repository that names programs", () => {
  async function plantProgram({ folder }: Project): Promise<{ program: string; ran: () => Promise<string> }> {
    const [program, mark] = [join(folder, "program"), join(folder, "ran")];
    await writeFile(program, `#!/bin/sh\necho "$0 $*" >> '${mark}'\n`);
    await chmod(program, 0o755);
    return { program, ran: () => readFile(mark, "utf8").catch(() => "") };
  }

  test("runs none of them", async () => {
    const project = await makeProject();
    const { root } = project;
    await commit(root, "a.bin", "old");
    await writeFile(join(root, ".gitattributes"), "*.bin diff=evil filter=evil\n*.txt filter=a=b\n");
    await git(root, "add", ".gitattributes");
    const { program, ran } = await plantProgram(project);
    const named = ["core.fsmonitor", "core.pager", "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.process"];
    for (const key of named) await git(root, "config", key, program);
    await writeFile(join(root, ".git", "config"), `${await readFile(join(root, ".git", "config"), "utf8")}[filter "a=b"]\n\tclean = ${program}\n\trequired = true\n`);
    for (const hook of ["post-index-change", "fsmonitor-watchman"]) {
      await writeFile(join(root, ".git", "hooks", hook), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    }
    await writeFile(join(root, "a.bin"), "new");
    await writeFile(join(root, "b.txt"), "new");
    const found = await gather(project);
    expect(found).toMatchObject({ changedFiles: [".gitattributes", "a.bin"], untrackedFiles: ["b.txt"], missing: [] });
    expect(await ran()).toBe("");
    // The trap works: git itself does run the programs.
    await git(root, "add", "b.txt").catch(() => {});
    expect(await ran()).not.toBe("");
  });

  test("in a submodule either", async () => {
    const project = await makeProject();
    const inner = await makeRepository(project.folder, "inner");
    await commit(inner, ".gitattributes", "* filter=evil\n");
    await commit(inner, "x.txt", "old");
    await git(project.root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "inner");
    await git(project.root, "commit", "--quiet", "--message=submodule");
    const { program, ran } = await plantProgram(project);
    await git(join(project.root, "inner"), "config", "filter.evil.clean", program);
    await writeFile(join(project.root, "inner", "x.txt"), "new");
    await makeChange(project);
    expect((await gather(project)).changedFiles).toEqual(["a.txt"]);
    expect(await ran()).toBe("");
    await git(project.root, "status");
    expect(await ran()).not.toBe("");
  });

  test("whose filters an old git cannot switch off is not looked into", async () => {
    const project = await makeProject();
    await makeChange(project);
    await git(project.root, "config", "filter.evil.clean", "false");
    for (const old of ['case "$*" in *--show-scope*) exit 129;; esac', "unset GIT_CONFIG_COUNT"]) {
      const path = process.env["PATH"] ?? "";
      const bin = join(project.folder, `bin-${old.length}`);
      await mkdir(bin);
      await writeFile(join(bin, "git"), `#!/bin/sh\n${old}\nPATH='${path}' exec git "$@"\n`, { mode: 0o755 });
      vi.stubEnv("PATH", `${bin}:${path}`);
      expect(await gather(project)).toMatchObject({ changedFiles: [], missing: [expect.stringContaining("takes git 2.31")] });
      vi.unstubAllEnvs();
    }
  });

  test("does not change what git prints", async () => {
    const project = await makeProject();
    await makeChange(project);
    for (const [key, value] of [["color.ui", "always"], ["diff.noprefix", "true"], ["status.branch", "true"], ["status.showUntrackedFiles", "no"], ["diff.submodule", "diff"]] as const) {
      await git(project.root, "config", key, value);
    }
    await writeFile(join(project.root, "new.txt"), "n");
    expect(await gather(project)).toMatchObject({ changedFiles: ["a.txt"], status: " M a.txt\n?? new.txt", diffStat: expect.not.stringContaining("\u001b") });
  });
});
