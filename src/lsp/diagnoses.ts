/**
 * What a server says about the problems of its documents: asked for where it can be asked (pull), else waited for
 * (push). What was said about an earlier text never counts.
 */
import { ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import type { Diagnostic, FullDocumentDiagnosticReport, PublishDiagnosticsParams } from "vscode-languageserver-protocol";
import { requestFailure } from "./failure-text.js";
import type { LanguageServer } from "./language-server.js";
import { askTsserver, handsThrough } from "./tsserver-diagnostics.js";
import { type Diagnosis, LspFailure, type OpenDocument } from "./session.js";
import { DocumentDiagnosticRequest } from "./protocol.js";

/** Servers that push speak of syntax first and of the rest a moment later; this long nothing more may come. */
const QUIET_MS = 400;
/** How much is kept of what servers say about files that nobody asked about. */
const MAX_PUBLISHED = 500;

interface Published {
  items: Diagnostic[];
  at: number;
}

export class Diagnoses {
  readonly #server: LanguageServer;
  readonly #keyOf: (uri: string) => string;
  readonly #present: (key: string) => OpenDocument | undefined;
  readonly #published = new Map<string, Published>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #pullFails = false;

  /** @param present the document that the server has open under a key. */
  constructor(server: LanguageServer, keyOf: (uri: string) => string, present: (key: string) => OpenDocument | undefined) {
    this.#server = server;
    this.#keyOf = keyOf;
    this.#present = present;
    server.onPublish = (params) => this.#receive(params);
    const wakeAll = (): void => {
      for (const key of this.#listeners.keys()) this.#wake(key);
    };
    void server.retired.then(wakeAll);
    server.registrations.onChange(wakeAll);
  }

  /** Forgets what was said about the document. */
  forget(document: OpenDocument): void {
    this.#published.delete(this.#keyOf(document.uri));
  }

  /** Something else changed: the server may have more to say about every document, and gets a moment to say it. */
  doubt(): void {
    for (const said of this.#published.values()) said.at = Date.now();
  }

  /** Problems of the present text of the document; waits `waitMs` at most. */
  async of(document: OpenDocument, waitMs: number, signal?: AbortSignal): Promise<Diagnosis> {
    const until = Date.now() + waitMs;
    try {
      return (await this.#asked(document, until, signal)) ?? (await this.#pushed(document, until, waitMs, signal));
    } catch (error) {
      const failure = error instanceof LspFailure ? error : requestFailure(DocumentDiagnosticRequest.method, error);
      return { state: "not-checked", why: failure.message };
    }
  }

  /** The answer of a server that can be asked, or undefined. */
  async #asked(document: OpenDocument, until: number, signal?: AbortSignal): Promise<Diagnosis | undefined> {
    if (!this.#pullFails && handsThrough(this.#server)) {
      const answered = await this.#server.readiness.whenLoaded(until, signal, () => askTsserver(this.#server, document, until, signal));
      if (answered !== undefined) return found(answered);
    }
    const pulled = this.#canPull() ? await this.#pull(document, until, signal) : undefined;
    return pulled && found([...pulled, ...this.#only(document, pulled)]);
  }

  #canPull(): boolean {
    if (this.#pullFails) return false;
    const { capabilities, registrations } = this.#server;
    return capabilities.diagnosticProvider !== undefined || registrations.of(DocumentDiagnosticRequest.method).length > 0;
  }

  /** The answer to `textDocument/diagnostic`; undefined when the server cannot answer it after all. */
  async #pull({ uri }: OpenDocument, until: number, signal?: AbortSignal): Promise<Diagnostic[] | undefined> {
    const params = { textDocument: { uri }, ...this.#identifier() };
    try {
      const ask = () => this.#server.ask(DocumentDiagnosticRequest.type, params, Math.max(1, until - Date.now()), signal);
      const report = (await this.#server.readiness.whenLoaded(until, signal, ask)) as Partial<FullDocumentDiagnosticReport> | null;
      if (!Array.isArray(report?.items)) throw new LspFailure(`${this.#server.definition.name} answered without a report`);
      return report.items;
    } catch (error) {
      if (!(error instanceof ResponseError) || error.code !== ErrorCodes.MethodNotFound) throw error;
      this.#pullFails = true;
      return undefined;
    }
  }

  #identifier(): { identifier?: string } {
    const provider = this.#server.capabilities.diagnosticProvider;
    const [registered] = this.#server.registrations.of(DocumentDiagnosticRequest.method) as { identifier?: string }[];
    const identifier = provider?.identifier ?? registered?.identifier;
    return identifier === undefined ? {} : { identifier };
  }

  /** What was pushed beside what was pulled: some servers do both, for different checks. */
  #only(document: OpenDocument, pulled: readonly Diagnostic[]): Diagnostic[] {
    const told = new Set(pulled.map(identity));
    const pushed = this.#published.get(this.#keyOf(document.uri))?.items ?? [];
    return pushed.filter((item) => !told.has(identity(item)));
  }

  async #pushed(document: OpenDocument, until: number, waitMs: number, signal?: AbortSignal): Promise<Diagnosis> {
    const key = this.#keyOf(document.uri);
    await this.#server.readiness.whenLoaded(until, signal, async () => {});
    for (;;) {
      if (signal?.aborted === true) return { state: "not-checked", why: "the call was cancelled" };
      if (this.#server.gone !== undefined) return { state: "not-checked", why: this.#server.gone };
      if (this.#canPull()) { // registered meanwhile
        const asked = await this.#asked(document, until, signal);
        if (asked !== undefined) return asked;
      }
      const said = this.#published.get(key);
      const quietAt = said === undefined ? Infinity : said.at + QUIET_MS;
      const now = Date.now();
      if (said !== undefined && (now >= quietAt || now >= until)) return found(said.items);
      if (now >= until) {
        return { state: "not-checked", why: `${this.#server.definition.name} sent no diagnostics within ${waitMs / 1000} s` };
      }
      await this.#next(key, Math.min(quietAt, until) - now, signal);
    }
  }

  /** Resolves at the next word about the key, or after the time. */
  #next(key: string, milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const listeners = this.#listeners.get(key) ?? new Set();
      this.#listeners.set(key, listeners);
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        listeners.delete(done);
        if (listeners.size === 0) this.#listeners.delete(key);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      listeners.add(done);
      signal?.addEventListener("abort", done, { once: true });
    });
  }

  #receive({ uri, version, diagnostics }: PublishDiagnosticsParams): void {
    if (typeof uri !== "string" || !Array.isArray(diagnostics)) return;
    const key = this.#keyOf(uri);
    const document = this.#present(key);
    if (document !== undefined && typeof version === "number" && version < document.version) return;
    this.#published.delete(key);
    this.#published.set(key, { items: diagnostics, at: Date.now() });
    for (const oldest of this.#published.keys()) {
      if (this.#published.size <= MAX_PUBLISHED) break;
      this.#published.delete(oldest);
    }
    this.#wake(key);
  }

  #wake(key: string): void {
    for (const listener of this.#listeners.get(key) ?? []) listener();
  }
}

function found(items: Diagnostic[]): Diagnosis {
  return items.length === 0 ? { state: "none" } : { state: "found", items };
}

function identity({ range, message, code }: Diagnostic): string {
  return JSON.stringify([range, message, code]);
}
