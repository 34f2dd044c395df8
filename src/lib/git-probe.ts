/**
 * What git says about a folder, with as few git processes as can be: an answer is kept as long as the
 * `.git` entries it was read from look the same, and for a minute at most.
 *
 * Doubt is an answer of its own: only git's own word that there is no repository counts as "none".
 */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { runGit } from "./git-run.js";

export interface Repository {
  kind: "repository";
  /** Root of the worktree the folder is in. Real path. */
  toplevel: string;
  /** The `.git` folder that all worktrees of the repository share. Real path. */
  commonDir: string;
  /** Worktree of the repository that has this one as a submodule. */
  superproject: string | undefined;
}

/** `none`: surely no repository. `failed`: git is missing, too slow, or contradicts what lies on the disk. */
export type GitAnswer = Repository | { kind: "none" } | Failure;

export interface Failure {
  kind: "failed";
  /** Why there is no answer, in words for the caller. */
  why: string;
}

const MAX_AGE_MS = 60_000;
const MAX_KEPT = 256;

interface Kept<T> {
  value: T;
  evidence: Evidence;
  until: number;
}

/** Path → what `stamp` said about it. */
type Evidence = Map<string, string>;

const answers = new Map<string, Kept<GitAnswer>>();
const origins = new Map<string, Kept<string | undefined>>();
const running = new Map<string, Promise<GitAnswer>>();

/** Asks git about a folder given by its real path. */
export async function askGit(dir: string): Promise<GitAnswer> {
  const kept = await recall(answers, dir);
  if (kept !== undefined) return kept.value;
  let asking = running.get(dir);
  if (asking === undefined) {
    asking = probe(dir).finally(() => running.delete(dir));
    running.set(dir, asking);
  }
  return asking;
}

/** The address of the remote `origin`, if there is one. */
export async function originUrl(repository: Repository): Promise<string | undefined> {
  const kept = await recall(origins, repository.toplevel);
  if (kept !== undefined) return kept.value;
  const evidence = await gather([join(repository.commonDir, "config")]);
  const { code, stdout } = await runGit(repository.toplevel, ["remote", "get-url", "origin"]);
  const value = code === 0 && stdout.trim() !== "" ? stdout.trim() : undefined;
  if (code !== undefined) remember(origins, repository.toplevel, value, evidence);
  return value;
}

async function probe(dir: string): Promise<GitAnswer> {
  const chain = ancestors(dir);
  const evidence = await gather(chain.map((folder) => join(folder, ".git")));
  const nearest = chain.find((folder) => evidence.get(join(folder, ".git")) !== "absent");
  const { code, stdout, stderr, trouble } = await runGit(dir, [
    "rev-parse",
    "--path-format=absolute",
    "--git-common-dir",
    "--show-toplevel",
    "--show-superproject-working-tree",
  ]);
  if (code === 0) return accept(dir, stdout, nearest, evidence);
  if (code !== 128) return failure(trouble ?? `git ended with code ${code}`);
  if (stderr.includes("must be run in a work tree")) return { kind: "none" };
  if (stderr.includes("dubious ownership")) return failure("the repository belongs to another user; see safe.directory in git help config");
  if (!stderr.includes("not a git repository")) return failure("git refuses the repository; git status there says why");
  if (nearest === undefined) remember(answers, dir, { kind: "none" }, evidence);
  return { kind: "none" };
}

function failure(why: string): Failure {
  return { kind: "failed", why };
}

/** Checks git's answer against the disk: a `.git` nearer than the toplevel means that git looked past it. */
async function accept(dir: string, stdout: string, nearest: string | undefined, evidence: Evidence): Promise<GitAnswer> {
  const lines = stdout.replace(/\r?\n$/, "").split(/\r?\n/);
  if (lines[0] === "--path-format=absolute") lines.shift(); // git before 2.31 echoes what it does not know
  const [common, top, superproject] = lines;
  if (common === undefined || top === undefined || lines.length > 3) return failure("git's answer cannot be understood");
  try {
    const [toplevel, commonDir] = await Promise.all([realpath(top), realpath(resolve(dir, common))]);
    if (nearest !== toplevel) return failure("git looks past the nearest .git, which may be damaged");
    const answer: Repository = { kind: "repository", toplevel, commonDir, superproject: superproject || undefined };
    remember(answers, dir, answer, withinToplevel(evidence, toplevel));
    return answer;
  } catch {
    return failure("git names a folder that is not there");
  }
}

/** Entries above the toplevel do not matter to its answer. */
function withinToplevel(evidence: Evidence, toplevel: string): Evidence {
  return new Map([...evidence].filter(([path]) => dirname(path).length >= toplevel.length));
}

function ancestors(dir: string): string[] {
  const chain = [dir];
  for (let at = dir; dirname(at) !== at; ) chain.push((at = dirname(at)));
  return chain;
}

async function recall<T>(store: Map<string, Kept<T>>, key: string): Promise<Kept<T> | undefined> {
  const kept = store.get(key);
  if (kept === undefined) return undefined;
  if (performance.now() < kept.until) {
    const now = await gather([...kept.evidence.keys()]);
    if ([...kept.evidence].every(([path, before]) => now.get(path) === before)) return kept;
  }
  store.delete(key);
  return undefined;
}

function remember<T>(store: Map<string, Kept<T>>, key: string, value: T, evidence: Evidence): void {
  if (store.size >= MAX_KEPT) store.clear();
  store.set(key, { value, evidence, until: performance.now() + MAX_AGE_MS });
}

async function gather(paths: string[]): Promise<Evidence> {
  return new Map(await Promise.all(paths.map(async (path) => [path, await stamp(path)] as const)));
}

/** A folder is known by its inode (its times change with every commit), a file also by size and time. */
async function stamp(path: string): Promise<string> {
  try {
    const found = await lstat(path, { bigint: true });
    const id = `${found.dev}:${found.ino}`;
    return found.isDirectory() ? id : `${id}:${found.size}:${found.mtimeNs}`;
  } catch {
    return "absent";
  }
}

/** The folder a repository is known by: that of its main worktree, or its own where it has none (submodules, bare stores). */
export function primaryRoot(repository: Repository): string {
  const { commonDir, toplevel } = repository;
  const inModules = /[\\/]\.git[\\/]modules[\\/]/.test(commonDir);
  return basename(commonDir) === ".git" && !inModules ? dirname(commonDir) : toplevel;
}
