/**
 * Runs git to read from a repository that nobody vouches for. Its configuration may name programs (a file monitor,
 * hooks, a pager, an external diff), so those are switched off here or, where only some commands start them, by the
 * caller. No shell, no network, no locks taken, and an end: in time, in output, and when the call or the server ends.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { devNull } from "node:os";
import { onStop } from "../mcp/stop-hooks.js";
import { signalGroup } from "./process-group.js";

export interface GitOptions {
  /** Default 5 s. */
  timeoutMs?: number;
  /** Of stdout, in bytes; default 256 KiB. */
  maxBytes?: number;
  signal?: AbortSignal | undefined;
  /** Further variables of the environment. */
  env?: Record<string, string>;
}

export interface GitRun {
  /** Undefined when git was not run to its end; then `trouble` says why. */
  code: number | undefined;
  stdout: string;
  stderr: string;
  trouble?: string;
  /** True when git had more to say than `maxBytes`; `stdout` has the beginning. */
  isCut: boolean;
}

const SAFE = ["--no-pager", "-c", "core.fsmonitor=false", "-c", `core.hooksPath=${devNull}`];
const MAX_STDERR_BYTES = 64 * 1024;

const running = new Set<ChildProcess>();
let isHooked = false;

/** Runs git in a folder. Never throws, but for the reason of an aborted signal. */
export async function runGit(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<GitRun> {
  options.signal?.throwIfAborted();
  const run = await new Promise<GitRun>((done) => {
    try {
      watch(start(cwd, args, options.env), options, done);
    } catch {
      done({ code: undefined, stdout: "", stderr: "", trouble: "git cannot be run there", isCut: false }); // a path with a NUL byte
    }
  });
  options.signal?.throwIfAborted();
  return run;
}

/** In a group of its own, so that what git starts ends with it. */
function start(cwd: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  if (!isHooked) onStop("git", async () => running.forEach((child) => signalGroup(child, "SIGKILL")));
  isHooked = true;
  const detached = process.platform !== "win32";
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
  return spawn("git", [...SAFE, ...args], { cwd, env: { ...gitEnvironment(), ...env }, stdio, detached, windowsHide: true });
}

function watch(child: ChildProcess, options: GitOptions, done: (run: GitRun) => void): void {
  const { timeoutMs = 5_000, maxBytes = 256 * 1024, signal } = options;
  const out = new Collected(maxBytes);
  const err = new Collected(MAX_STDERR_BYTES);
  let trouble: string | undefined;
  const stop = (why: string) => {
    trouble ??= why;
    signalGroup(child, "SIGKILL");
  };
  const timer = setTimeout(() => stop(`git took longer than ${timeoutMs / 1_000} seconds`), timeoutMs);
  const abort = () => stop("the call was cancelled");
  const finish = (code: number | null, why: string | undefined) => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    running.delete(child);
    const ended = code === null || why !== undefined ? undefined : code;
    done({ code: ended, stdout: out.text(), stderr: err.text(), ...(why !== undefined && { trouble: why }), isCut: out.isFull });
  };
  running.add(child);
  signal?.addEventListener("abort", abort, { once: true });
  child.stdout?.on("data", (chunk: Buffer) => {
    if (!out.add(chunk)) stop(`git printed more than ${maxBytes} bytes`);
  });
  child.stderr?.on("data", (chunk: Buffer) => err.add(chunk));
  child.on("error", (error: NodeJS.ErrnoException) => {
    finish(null, error.code === "ENOENT" ? "git was not found on PATH" : `git could not be run: ${error.code ?? "no reason given"}`);
  });
  child.on("close", (code, killedBy) => finish(code, trouble ?? (code === null ? `git could not be run: ${killedBy}` : undefined)));
}

/** Output up to a limit. */
class Collected {
  isFull = false;
  readonly #chunks: Buffer[] = [];
  #left: number;

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  /** False when there was no room for all of it. */
  add(chunk: Buffer): boolean {
    const taken = chunk.subarray(0, this.#left);
    if (taken.length > 0) this.#chunks.push(taken);
    this.#left -= taken.length;
    this.isFull ||= taken.length < chunk.length;
    return !this.isFull;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

/** Variables that would make git look at another repository than the folder's, or read paths in another way. */
const MISLEADING =
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|NAMESPACE|PREFIX|(LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS)$/;

function gitEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !MISLEADING.test(name));
  const quiet = { LC_ALL: "C", LANGUAGE: "C", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" };
  // Objects that a partial clone lacks would be fetched, with a program of the repository's choice.
  return { ...Object.fromEntries(kept), ...quiet, GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };
}
