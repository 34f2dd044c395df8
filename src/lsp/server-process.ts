/**
 * The process of a language server: started without a shell, in a process group of its own, and ended with everything
 * it started. Its stderr is kept in a small ring for error messages and relayed nowhere.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { signalGroup } from "../lib/process-group.js";
import { OrphanWatch } from "./orphan-watch.js";

const STDERR_KEPT = 8 * 1024;
const STDERR_LINES_SHOWN = 6;
const STDERR_LINE_CHARACTERS = 200;
/** How long the process may take after `exit`, and after SIGTERM, in milliseconds. */
const EXIT_MS = 300;
const TERM_MS = 400;
/** How long a dead process's pipes may be held open by what it left behind, in milliseconds. */
const PIPES_MS = 500;

export interface Launch {
  /** Absolute path of the program. */
  program: string;
  args: readonly string[];
  cwd: string;
  env?: NodeJS.ProcessEnv;
}

/** How a process ended. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Set when it could not be started at all. */
  error?: NodeJS.ErrnoException;
}

/** Groups to be killed should this process exit in a hurry. */
const alive = new Set<ServerProcess>();
/** Kills them when this process is killed. */
const orphans = new OrphanWatch();

export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves once, when the process is gone and what it left behind has been killed. */
  readonly ended: Promise<Ending>;
  #stderr = Buffer.alloc(0);

  constructor(launch: Launch) {
    this.child = start(launch);
    if (alive.size === 0) process.on("exit", killAll);
    alive.add(this);
    if (this.child.pid !== undefined) orphans.add(this.child.pid);
    this.child.stdin.on("error", () => {}); // the end of the process tells more
    this.child.stdout.on("error", () => {});
    this.child.stderr.on("error", () => {});
    this.child.stderr.on("data", (chunk: Buffer) => this.#keep(chunk));
    this.ended = this.#watch();
  }

  /** The last words on stderr, or "" when there were none; stack traces are left out. */
  lastWords(): string {
    const lines = this.#stderr.toString("utf8").split(/\r?\n/);
    const telling = lines.filter((line) => line.trim() !== "" && !/^\s+at |^Node\.js v\d/.test(line));
    return telling
      .slice(-STDERR_LINES_SHOWN)
      .map((line) => (line.length > STDERR_LINE_CHARACTERS ? `${line.slice(0, STDERR_LINE_CHARACTERS)}…` : line))
      .join("\n");
  }

  /** Ends the process and all it started. Patient for `patienceMs`, in which a polite request may take effect. */
  async end(patienceMs = EXIT_MS): Promise<void> {
    if (await this.#within(patienceMs)) return;
    signalGroup(this.child, "SIGTERM");
    if (await this.#within(TERM_MS)) return;
    signalGroup(this.child, "SIGKILL");
    await this.#within(PIPES_MS * 2);
  }

  kill(): void {
    signalGroup(this.child, "SIGKILL");
  }

  async #within(milliseconds: number): Promise<boolean> {
    const given = new AbortController();
    const patience = setTimeout(milliseconds, false, { signal: given.signal }).catch(() => false);
    const ended = await Promise.race([this.ended.then(() => true), patience]);
    given.abort();
    return ended;
  }

  #watch(): Promise<Ending> {
    return new Promise((resolve) => {
      const settle = (ending: Ending): void => {
        alive.delete(this);
        if (this.child.pid !== undefined) orphans.remove(this.child.pid);
        if (alive.size === 0) process.off("exit", killAll);
        resolve(ending);
      };
      this.child.once("error", (error) => {
        if (this.child.pid === undefined) settle({ code: null, signal: null, error });
      });
      this.child.once("exit", (code, signal) => {
        signalGroup(this.child, "SIGKILL"); // what it started and left behind
        const ending = { code, signal };
        const timer = globalThis.setTimeout(() => {
          this.child.stdout.destroy();
          settle(ending);
        }, PIPES_MS);
        this.child.once("close", () => {
          clearTimeout(timer);
          settle(ending);
        });
      });
    });
  }

  #keep(chunk: Buffer): void {
    const tail = chunk.length > STDERR_KEPT ? chunk.subarray(-STDERR_KEPT) : chunk;
    this.#stderr = Buffer.concat([this.#stderr, tail]).subarray(-STDERR_KEPT);
  }
}

function killAll(): void {
  for (const server of alive) server.kill();
}

function start({ program, args, cwd, env }: Launch): ChildProcessWithoutNullStreams {
  const options = { cwd, env: env ?? process.env, windowsHide: true, stdio: "pipe" as const };
  if (process.platform !== "win32") return spawn(program, args, { ...options, detached: true });
  if (!/\.(?:cmd|bat)$/i.test(program)) return spawn(program, args, options);
  // A batch file needs the command interpreter. Its arguments are ours, so quoting them is enough.
  const line = [program, ...args].map((part) => `"${part}"`).join(" ");
  const shell = process.env["ComSpec"] ?? "cmd.exe";
  return spawn(shell, ["/d", "/s", "/c", `"${line}"`], { ...options, windowsVerbatimArguments: true });
}
