/** A git repository and a home folder of its own, in a temporary folder that is removed when the test ends. */
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isSensitive } from "../lib/omc-location.js";
import { temporaryFolder } from "./folders.js";

const run = promisify(execFile);

export interface Project {
  /** Root of the repository; real path. */
  root: string;
  /** Where the server keeps its files: `<root>/.omc`. */
  omc: string;
  home: string;
  /** The temporary folder that has both. */
  folder: string;
}

export async function makeProject(): Promise<Project> {
  const folder = await temporaryFolder();
  const home = join(folder, "home");
  await mkdir(home);
  const root = await makeRepository(folder, "project");
  return { root, omc: join(root, ".omc"), home, folder };
}

/** An empty repository with one commit, so that worktrees can be made of it. */
export async function makeRepository(folder: string, name: string): Promise<string> {
  const root = join(folder, name);
  await mkdir(root);
  await git(root, "init", "--quiet", "--initial-branch=main");
  await git(root, "commit", "--quiet", "--allow-empty", "--message=start");
  return root;
}

/** Runs git with an environment that no configuration of this machine reaches. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "test",
    GIT_AUTHOR_EMAIL: "test@example.com",
    GIT_COMMITTER_NAME: "test",
    GIT_COMMITTER_EMAIL: "test@example.com",
  };
  return (await run("git", args, { cwd, env })).stdout;
}

/**
 * An empty folder where a project may lie, removed when the test ends. Temporary folders are not such a place, and the
 * home folder may be in one.
 */
export async function plainFolder(prefix: string): Promise<string> {
  for (const place of [homedir(), "/dev/shm"]) {
    const folder = await temporaryFolder(prefix, place).catch(() => undefined);
    if (folder !== undefined && !(await isSensitive(folder, ""))) return folder;
  }
  throw new Error("no folder that can be written is outside the temporary ones");
}
