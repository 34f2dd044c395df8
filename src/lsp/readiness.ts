/**
 * Whether a language server has loaded the project. Servers say it by work-done progress, some also in ways of their
 * own. A task that has outlasted our patience is not waited for any more; it is only mentioned.
 */
import type { ReadySign } from "./registry.js";

interface Task {
  text: string;
  begun: number;
}

/** What progress notifications carry. */
export interface Progress {
  kind?: unknown;
  title?: unknown;
  message?: unknown;
  percentage?: unknown;
}

const MAX_TASKS = 100;
/** How long after its beginning a task is waited for, in milliseconds. */
const PATIENCE_MS = 30_000;

export class Readiness {
  readonly #tasks = new Map<string | number, Task>();
  readonly #waiting = new Set<() => void>();
  /** Counts beginnings and ends of tasks. */
  #changes = 0;
  /** Whether an answer was once complete. Later tasks are the server's housekeeping, or part of its answers. */
  #warm = false;

  constructor(sign: ReadySign | undefined) {
    if (sign !== undefined) this.#tasks.set(sign, { text: "loading the project", begun: Date.now() });
  }

  /** Counts the time of all tasks from now: before it was initialized the server could not work on them. */
  restart(): void {
    for (const task of this.#tasks.values()) task.begun = Date.now();
  }

  /** What the server is busy with, or undefined. */
  get loading(): string | undefined {
    const texts = [...this.#tasks.values()].map(({ text }) => text);
    return texts.length === 0 ? undefined : texts.slice(0, 3).join("; ");
  }

  progress(token: string | number, value: Progress): void {
    if (value.kind === "end") return this.#end(token);
    const known = this.#tasks.get(token);
    if (value.kind === "begin" && this.#tasks.size < MAX_TASKS) {
      this.#changes++;
      this.#tasks.set(token, { text: describe(value, String(value.title ?? "working")), begun: Date.now() });
    } else if (value.kind === "report" && known !== undefined) {
      known.text = describe(value, known.text.replace(/ \(.*\)$/s, ""));
    }
  }

  /** `experimental/serverStatus` of rust-analyzer. */
  serverStatus(quiescent: unknown): void {
    if (quiescent === true) this.#end("serverStatus");
    else if (!this.#tasks.has("serverStatus")) this.progress("serverStatus", { kind: "begin", title: "loading the project" });
  }

  /** `language/status` of Eclipse JDT. */
  languageStatus(type: unknown): void {
    if (type === "ServiceReady" || type === "Error") this.#end("languageStatus");
  }

  /**
   * Asks when no task is under way, or it is `until` (as of Date.now). As long as the server is new, an answer that was
   * given while a task began or ended is asked for once more: it may have come too early.
   */
  async whenLoaded<T>(until: number, signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
    await this.#settled(until, signal);
    const before = this.#changes;
    const answer = await ask();
    const early = !this.#warm && this.#changes !== before && Date.now() < until;
    if (early) await this.#settled(until, signal);
    this.#warm ||= this.#tasks.size === 0;
    return early ? ask() : answer;
  }

  async #settled(until: number, signal: AbortSignal | undefined): Promise<void> {
    const left = Math.min(until - Date.now(), this.#patience());
    if (left <= 0) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        this.#waiting.delete(check);
        resolve();
      };
      const check = (): void => {
        if (this.#patience() <= 0) done();
      };
      const timer = setTimeout(done, left);
      this.#waiting.add(check);
      signal?.addEventListener("abort", done, { once: true });
      if (signal?.aborted === true) done();
    });
  }

  /** Lets everybody go: the server is gone. */
  close(): void {
    this.#tasks.clear();
    for (const check of this.#waiting) check();
  }

  /** For how long the tasks under way may still be waited for, in milliseconds. */
  #patience(): number {
    const latest = Math.max(...[...this.#tasks.values()].map(({ begun }) => begun));
    return latest + PATIENCE_MS - Date.now();
  }

  #end(token: string | number): void {
    if (!this.#tasks.delete(token)) return;
    this.#changes++;
    for (const check of this.#waiting) check();
  }
}

function describe({ message, percentage }: Progress, title: string): string {
  const details = [typeof percentage === "number" ? `${Math.round(percentage)} %` : "", typeof message === "string" ? message : ""];
  const known = details.filter((detail) => detail !== "").join(", ").slice(0, 100);
  return known === "" ? title.slice(0, 100) : `${title.slice(0, 100)} (${known})`;
}
