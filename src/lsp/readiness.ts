/**
 * Whether a language server has loaded the project. Servers say it by work-done progress, some also in ways of their
 * own. A task that outlasts our patience once is not waited for again; it is only mentioned.
 */
import type { ReadySign } from "./registry.js";

interface Task {
  text: string;
  /** Waited for in vain. */
  overdue: boolean;
}

/** What progress notifications carry. */
export interface Progress {
  kind?: unknown;
  title?: unknown;
  message?: unknown;
  percentage?: unknown;
}

const MAX_TASKS = 100;

export class Readiness {
  readonly #tasks = new Map<string | number, Task>();
  readonly #waiting = new Set<() => void>();
  #changes = 0;

  constructor(sign: ReadySign | undefined) {
    if (sign !== undefined) this.#tasks.set(sign, { text: "loading the project", overdue: false });
  }

  /** Counts beginnings and ends of tasks: when it differs after a request, the answer may have come too early. */
  get changes(): number {
    return this.#changes;
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
      this.#tasks.set(token, { text: describe(value, String(value.title ?? "working")), overdue: false });
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

  /** Resolves when no task is under way, at the latest after `milliseconds`, or when the signal is aborted. */
  async settled(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (!this.#pending()) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        this.#waiting.delete(check);
        resolve();
      };
      const check = (): void => {
        if (!this.#pending()) done();
      };
      const timer = setTimeout(() => {
        for (const task of this.#tasks.values()) task.overdue = true;
        done();
      }, milliseconds);
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

  #pending(): boolean {
    return [...this.#tasks.values()].some(({ overdue }) => !overdue);
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
