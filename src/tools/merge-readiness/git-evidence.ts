/**
 * What git can tell about a change. The repository may come from a stranger, so none of the programs that its
 * configuration or attributes name is run: no external diff, no text conversion, no filter of its own, no hook.
 * OMC's own folder is not part of any change.
 */
import { type GitOptions, type GitRun, runGit } from "../../lib/git-run.js";

export interface GitEvidence {
  changedFiles: string[];
  untrackedFiles: string[];
  /** As `git status --short`. */
  status: string;
  diffStat: string;
  /** What could not be had, one sentence each. */
  missing: string[];
  /** What is compared with beside HEAD; empty when there is nothing. */
  baseRef: string;
  /** Since when changes were looked for; empty when git was not asked. */
  since: string;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_NAMES = 500;
/** Of all names together, in characters. */
const MAX_NAMES_TEXT = 100_000;
const MAX_TEXT = 20_000;

const DIFF = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--submodule=short", "--ignore-submodules=dirty"];
const STAT = "--stat=160,120,100";
const NOT_OURS = ["--", ":(top)", ":(top,exclude).omc"];
const COMMIT = /^[0-9a-f]{40,64}$/;

/** Asks about the worktree at `root`. `baseRef` must be checked by the caller's schema; it is resolved before use. */
export async function gatherGitEvidence(root: string, baseRef: string | undefined, signal: AbortSignal): Promise<GitEvidence> {
  const env = await withoutOwnFilters(root, signal);
  if (env === undefined) return nothing("the repository's filters cannot be switched off, which takes git 2.31; so git was not asked");
  const asked = new Asked(root, { signal, env });
  const head = await asked.commit("HEAD");
  const base = await findBase(asked, baseRef);
  const fork = head === undefined || base.commit === undefined ? undefined : await asked.forkPoint(base.commit, head);
  const [worktree, staged, committed, status, untracked, diffStat] = await Promise.all([
    head === undefined ? [] : asked.names("the changes of the worktree", [...DIFF, "--name-only", head]),
    asked.names("the staged changes", [...DIFF, "--name-only", "--cached"]),
    fork === undefined ? [] : asked.names("the commits since the base", [...DIFF, "--name-only", fork, head as string]),
    asked.lines("git status", ["status", "--porcelain=v1", "--untracked-files=normal", "--no-renames", "--ignore-submodules=dirty"]),
    asked.names("the untracked files", ["ls-files", "--others", "--exclude-standard"]),
    asked.lines("the diff's statistics", [...DIFF, STAT, ...(head === undefined ? ["--cached"] : [fork ?? head])]),
  ]);
  const changed = [...new Set([...committed, ...worktree, ...staged])].sort();
  return {
    changedFiles: asked.first("changed files", changed),
    untrackedFiles: asked.first("untracked files", untracked),
    status: short(status),
    diffStat: short(diffStat),
    missing: asked.missing,
    baseRef: base.name,
    since: head === undefined ? "the repository was made" : fork === undefined ? "HEAD" : base.name,
  };
}

/** No evidence, and why. */
export function nothing(why: string): GitEvidence {
  return { changedFiles: [], untrackedFiles: [], status: "", diffStat: "", missing: [why], baseRef: "", since: "" };
}

interface Base {
  name: string;
  commit: string | undefined;
}

/** The base given, else the branch's upstream, else the remote's main branch. None is not a fault. */
async function findBase(asked: Asked, given: string | undefined): Promise<Base> {
  if (given !== undefined) {
    const commit = await asked.commit(given);
    if (commit === undefined) asked.missing.push(`baseRef '${given}' names no commit here, so commits since then are not counted`);
    return { name: given, commit };
  }
  for (const name of ["@{upstream}", "refs/remotes/origin/HEAD"]) {
    const commit = await asked.commit(name);
    if (commit !== undefined) return { name: name.replace("refs/remotes/", ""), commit };
  }
  return { name: "", commit: undefined };
}

/** One worktree being asked; collects what it would not tell. */
class Asked {
  readonly missing: string[] = [];
  readonly #root: string;
  readonly #options: GitOptions;

  constructor(root: string, options: GitOptions) {
    this.#root = root;
    this.#options = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, ...options };
  }

  /** The commit that a name means, or undefined. */
  async commit(name: string): Promise<string | undefined> {
    const { code, stdout } = await this.#run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
    const id = stdout.trim();
    return code === 0 && COMMIT.test(id) ? id : undefined;
  }

  async forkPoint(base: string, head: string): Promise<string | undefined> {
    const { stdout } = await this.#run(["merge-base", base, head]);
    const id = stdout.split("\n", 1)[0] ?? "";
    if (COMMIT.test(id)) return id;
    this.missing.push("the base and HEAD have no common commit, so commits since the base are not counted");
    return undefined;
  }

  /** Paths, one a line. */
  async names(what: string, args: string[]): Promise<string[]> {
    return (await this.lines(what, args)).filter((line) => line !== "");
  }

  async lines(what: string, args: string[]): Promise<string[]> {
    const run = await this.#run([...args, ...NOT_OURS]);
    const lines = run.stdout.replace(/\n$/, "").split("\n");
    if (run.code === 0) return lines;
    this.missing.push(`${what}: ${run.isCut ? `only the first ${MAX_BYTES} bytes were read` : whyNot(run)}`);
    return run.isCut ? lines.slice(0, -1) : [];
  }

  first(what: string, names: string[]): string[] {
    let length = 0;
    const end = names.findIndex((name, at) => at >= MAX_NAMES || (length += name.length) > MAX_NAMES_TEXT);
    if (end < 0) return names;
    this.missing.push(`${names.length} ${what}; only the first ${end} are listed`);
    return names.slice(0, end);
  }

  #run(args: string[]): Promise<GitRun> {
    return runGit(this.#root, ["-c", "core.quotePath=false", "-c", "core.bigFileThreshold=16m", ...args], this.#options);
  }
}

function whyNot({ code, trouble }: GitRun): string {
  return trouble ?? `git ended with code ${code}`;
}

/** A text that fits into a report. */
function short(lines: string[]): string {
  let length = 0;
  const shown = lines.slice(0, MAX_NAMES).filter((line) => (length += line.length + 1) <= MAX_TEXT);
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`… ${left} more lines`] : [])].join("\n");
}

/**
 * Variables that switch off the filters which the repository's own configuration declares; those of the user's stay.
 * As variables, because a filter's name may contain what ends a name on the command line. Undefined when this git is
 * too old to tell whose they are, or to be told.
 */
async function withoutOwnFilters(root: string, signal: AbortSignal): Promise<Record<string, string> | undefined> {
  const listed = await runGit(root, ["config", "--show-scope", "--null", "--name-only", "--get-regexp", "^filter\\..*"], { signal });
  if (listed.code !== 0 && listed.code !== 1) return undefined; // 1: there are none
  const fields = listed.stdout.split("\0");
  const names = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = /^filter\.([^]*)\.[a-z]+$/i.exec(fields[at + 1] as string)?.[1];
    if (name !== undefined && (fields[at] === "local" || fields[at] === "worktree")) names.add(name);
  }
  const settings = [...names].flatMap((name) => ["clean", "smudge", "process"].map((key) => [`filter.${name}.${key}`, ""]));
  for (const name of names) settings.push([`filter.${name}.required`, "false"]);
  const [name] = names;
  if (name === undefined) return {};
  const before = Number(process.env["GIT_CONFIG_COUNT"]) || 0;
  const numbered = settings.flatMap(([key = "", value = ""], at) => [
    [`GIT_CONFIG_KEY_${before + at}`, key],
    [`GIT_CONFIG_VALUE_${before + at}`, value],
  ]);
  const env = Object.fromEntries([["GIT_CONFIG_COUNT", String(before + settings.length)], ...numbered]) as Record<string, string>;
  const check = await runGit(root, ["config", "--get", `filter.${name}.required`], { signal, env });
  return check.stdout === "false\n" ? env : undefined;
}
