/** Checks files one by one with their language servers, several at a time. */
import { relative, extname } from "node:path";
import type { Diagnosis, Session } from "../../../lsp/session.js";
import { LspFailure } from "../../../lsp/session.js";
import { withSession } from "../../../lsp/sessions.js";
import type { Diagnostic } from "vscode-languageserver-protocol";
import { askedFile } from "../asked-path.js";
import { AskedError, failureText } from "../failure.js";
import { isBesideCode } from "./source-files.js";

export interface LspRun {
  directory: string;
  /** Absolute paths. */
  files: readonly string[];
  /** How long one file is waited for, in milliseconds. */
  fileMs: number;
  /** For all files together, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface LspResult {
  /** Files by path relative to the directory, in order, with what their servers said. */
  checked: { file: string; items: Diagnostic[] }[];
  /** Why files were not checked → which, relative to the directory. */
  unchecked: Map<string, string[]>;
  /** The same for files beside the code whose server is missing. */
  beside: Map<string, string[]>;
  /** What missing servers say about how to get them. */
  missing: Set<string>;
}

const IN_FLIGHT = 8;
/** After so many files in a row about which a server was silent, its other files are not waited for. */
const SILENT_FILES = IN_FLIGHT;

export async function checkWithServers(run: LspRun): Promise<LspResult> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), run.timeoutMs);
  const check = new Check(run, AbortSignal.any([run.signal, deadline.signal]));
  try {
    const due = run.files.entries();
    const worker = async (): Promise<void> => {
      for (const [number, path] of due) await check.file(number, path);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  } finally {
    clearTimeout(timer);
  }
  return check.result();
}

class Check {
  readonly #run: LspRun;
  readonly #signal: AbortSignal;
  readonly #checked: (LspResult["checked"][number] | undefined)[] = [];
  readonly #unchecked = new Map<string, string[]>();
  readonly #beside = new Map<string, string[]>();
  /** Extension → why no file with it can be checked. */
  readonly #hopeless = new Map<string, string>();
  readonly #missing = new Set<string>();
  readonly #silent = new Map<string, number>();

  constructor(run: LspRun, signal: AbortSignal) {
    this.#run = run;
    this.#signal = signal;
  }

  async file(number: number, path: string): Promise<void> {
    const file = relative(this.#run.directory, path);
    const extension = extname(path).toLowerCase();
    const known = this.#signal.aborted ? this.#overText() : this.#hopeless.get(extension);
    const diagnosis: Diagnosis = known === undefined ? await this.#diagnose(path, extension) : { state: "not-checked", why: known };
    if (diagnosis.state === "not-checked") this.#leave(file, this.#signal.aborted ? this.#overText() : diagnosis.why);
    else this.#checked[number] = { file, items: diagnosis.state === "found" ? diagnosis.items : [] };
  }

  result(): LspResult {
    return {
      checked: this.#checked.filter((entry) => entry !== undefined),
      unchecked: this.#unchecked,
      beside: this.#beside,
      missing: this.#missing,
    };
  }

  async #diagnose(path: string, extension: string): Promise<Diagnosis> {
    try {
      const real = await askedFile(path);
      const diagnosis = await withSession(real, this.#signal, (session) => this.#ask(session, real));
      this.#count(extension, diagnosis);
      return diagnosis;
    } catch (error) {
      const why = failureText("diagnostics", error);
      if (error instanceof LspFailure && why.startsWith("Language server '")) {
        this.#hopeless.set(extension, why);
        this.#missing.add(why);
      }
      if (error instanceof AskedError) return { state: "not-checked", why: "it is no text file, too large or may not be read" };
      return { state: "not-checked", why };
    }
  }

  /** The document is closed afterwards, so that a server need not keep a whole project open. */
  async #ask(session: Session, path: string): Promise<Diagnosis> {
    const document = await session.open(path, this.#signal);
    try {
      return await session.diagnose(document, this.#run.fileMs, this.#signal);
    } finally {
      await session.close(document);
    }
  }

  #count(extension: string, diagnosis: Diagnosis): void {
    if (diagnosis.state !== "not-checked") {
      this.#silent.delete(extension);
      return;
    }
    const silent = (this.#silent.get(extension) ?? 0) + 1;
    this.#silent.set(extension, silent);
    if (silent >= SILENT_FILES) this.#hopeless.set(extension, diagnosis.why);
  }

  #leave(file: string, why: string): void {
    const group = this.#missing.has(why) && isBesideCode(file) ? this.#beside : this.#unchecked;
    const files = group.get(why) ?? [];
    files.push(file);
    group.set(why, files);
  }

  #overText(): string {
    return this.#run.signal.aborted ? "the call was cancelled" : `the time for the whole check, ${Math.round(this.#run.timeoutMs / 1_000)} s, was over`;
  }
}
