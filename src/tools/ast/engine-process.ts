/** One engine: a child process with a process group of its own, which answers one request at a time. */
import { type ChildProcess, spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { EngineOutcome, EngineRequest } from "../../ast/protocol.js";
import { signalGroup } from "../../lib/process-group.js";
import { log } from "../../mcp/log.js";

/** A request takes at most this long, in milliseconds; the engine itself stops searching well before. */
const TIMEOUT_MS = 45_000;
const HEAP_MB = 1_024;
/** Characters kept of what the engine writes to stderr. */
const MAX_STDERR = 2_000;

/** The engine did not answer. The message is for the caller. */
export class EngineError extends Error {
  override name = "EngineError";
}

export class EngineProcess {
  readonly #child: ChildProcess;
  #stderr = "";
  /** Ends the request under way. */
  #settle: ((outcome: EngineOutcome | Error) => void) | undefined;
  #alive = true;

  private constructor(path: string) {
    this.#child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, path], {
      detached: true,
      windowsHide: true,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child.unref();
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR);
    });
    this.#child.on("message", (outcome: EngineOutcome) => this.#end(outcome));
    this.#child.on("error", (error) => this.#end(new EngineError(`the AST engine could not be started: ${error.name}`), true));
    this.#child.on("exit", (code, signal) => this.#end(this.#mishap(signal ?? `code ${code}`), true));
  }

  /** Starts an engine. @throws {EngineError} when its file is not there. */
  static async start(): Promise<EngineProcess> {
    const path = join(__dirname, "ast-engine.cjs");
    try {
      await access(path);
    } catch {
      throw new EngineError("bridge/ast-engine.cjs, which searches, is missing beside the server; install the plugin again, or build it with omcbuild build");
    }
    return new EngineProcess(path);
  }

  get alive(): boolean {
    return this.#alive;
  }

  /**
   * Asks and waits for the answer. When the signal aborts or the time is up the engine is ended.
   * @throws {EngineError} when it dies or is ended.
   */
  async ask(request: EngineRequest, signal: AbortSignal): Promise<EngineOutcome> {
    if (signal.aborted) throw new EngineError("the call was cancelled");
    const giveUp = (why: string) => {
      this.#end(new EngineError(why));
      this.kill();
    };
    const cancel = () => giveUp("the call was cancelled");
    const timer = setTimeout(() => giveUp(`the search took longer than ${TIMEOUT_MS / 1_000} s and was ended; name a smaller path or a simpler pattern`), TIMEOUT_MS);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#settle = (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
        if (!this.#alive) this.#end(this.#mishap("it is gone"));
        else this.#child.send(request, (error) => error !== null && this.#end(this.#mishap("it does not listen")));
      });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Ends the engine and whatever it started. */
  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    signalGroup(this.#child, "SIGKILL");
  }

  #end(outcome: EngineOutcome | Error, gone = false): void {
    if (gone) this.#alive = false;
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(outcome);
  }

  #mishap(how: string): EngineError {
    if (this.#settle !== undefined && this.#stderr !== "") log(`ast engine ended (${how}): ${this.#stderr.trimEnd()}`);
    return new EngineError(`the AST engine ended during the call (${how}); the next call starts a new one. If it happens again, try a simpler pattern or a smaller path`);
  }
}
