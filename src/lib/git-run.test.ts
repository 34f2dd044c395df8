import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../test-support/folders.js";
import { git, makeProject } from "../test-support/project.js";
import { runGit } from "./git-run.js";

const makeFolder = () => temporaryFolder("omc-git-run-");

/** Puts a shell script in git's place. */
async function replaceGit(script: string): Promise<string> {
  const folder = await makeFolder();
  await writeFile(join(folder, "git"), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, "git"), 0o755);
  vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
  return folder;
}

/** A script that starts a child, writes its process id into `file`, and waits for it. */
const withChild = (file: string) => `sleep 60 & echo $! > '${file}.new'; mv '${file}.new' '${file}'; wait`;

async function pidIn(file: string): Promise<number> {
  return vi.waitFor(async () => Number(await readFile(file, "utf8")), { timeout: 15_000 });
}

async function ends(pid: number): Promise<void> {
  await vi.waitFor(async () => {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "gone) Z");
    expect(stat.slice(stat.lastIndexOf(")") + 2)[0]).toBe("Z");
  }, 15_000);
}

describe("git", () => {
  test("answers with code and output", async () => {
    const { root } = await makeProject();
    expect(await runGit(root, ["rev-parse", "--show-toplevel"])).toMatchObject({ code: 0, stdout: `${root}\n`, isCut: false });
    expect(await runGit(root, ["rev-parse", "--verify", "nowhere"])).toMatchObject({ code: 128, stdout: "" });
  });

  test("that takes too long is ended, with what it started", async () => {
    const mark = join(await makeFolder(), "pid");
    const folder = await replaceGit(withChild(mark));
    expect(await runGit(folder, ["status"], { timeoutMs: 1_500 })).toMatchObject({ code: undefined, trouble: "git took longer than 1.5 seconds" });
    await ends(await pidIn(mark));
  });

  test("is ended when the call is", async () => {
    const mark = join(await makeFolder(), "pid");
    const folder = await replaceGit(withChild(mark));
    const controller = new AbortController();
    const run = runGit(folder, ["status"], { signal: controller.signal });
    const pid = await pidIn(mark);
    controller.abort(new Error("cancelled"));
    await expect(run).rejects.toThrow("cancelled");
    await ends(pid);
    await expect(runGit(folder, ["status"], { signal: controller.signal })).rejects.toThrow("cancelled");
  });

  test("that prints too much is ended; the beginning is kept", async () => {
    const folder = await replaceGit("yes 1234567");
    const run = await runGit(folder, ["status"], { maxBytes: 1_000 });
    expect(run).toMatchObject({ code: undefined, isCut: true, trouble: "git printed more than 1000 bytes" });
    expect(run.stdout).toBe("1234567\n".repeat(125));
  });

  test("is not misled by the environment, and reaches no network", async () => {
    const folder = await replaceGit('echo "${GIT_DIR-} ${GIT_LITERAL_PATHSPECS-} $GIT_ALLOW_PROTOCOL $GIT_NO_LAZY_FETCH $GIT_OPTIONAL_LOCKS $OWN"');
    vi.stubEnv("GIT_DIR", "/elsewhere");
    vi.stubEnv("GIT_LITERAL_PATHSPECS", "1");
    expect((await runGit(folder, ["status"], { env: { OWN: "own" } })).stdout).toBe("  none 1 0 own\n");
  });

  test("that is missing, or cannot be started, is said", async () => {
    vi.stubEnv("PATH", await makeFolder());
    expect(await runGit(await makeFolder(), ["status"])).toMatchObject({ trouble: "git was not found on PATH" });
    expect(await runGit("/a\0b", ["status"])).toMatchObject({ trouble: "git cannot be run there" });
  });
});

test("a fetch from a promisor is refused, so its program does not run", async () => {
  const { root, folder } = await makeProject();
  const mark = join(folder, "ran");
  await git(root, "config", "remote.origin.url", `ext::sh -c touch% '${mark}'`);
  await git(root, "config", "protocol.ext.allow", "always");
  const run = await runGit(root, ["ls-remote", "origin"]);
  expect(run.code).toBe(128);
  await expect(readFile(mark)).rejects.toMatchObject({ code: "ENOENT" });
});
