/**
 * What a server says about the problems of its documents: asked for where it can be asked (pull), else waited for
 * (push). What was said about an earlier text never counts.
 */
import {
  type Diagnostic,
  DocumentDiagnosticReportKind,
  DocumentDiagnosticRequest,
  LSPErrorCodes,
  ErrorCodes,
  type PublishDiagnosticsParams,
  ResponseError,
} from "vscode-languageserver-protocol/node";
import { requestFailure } from "./failure-text.js";
import type { LanguageServer } from "./language-server.js";
import { type Diagnosis, LspFailure, type OpenDocument } from "./session.js";

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
    void server.ended.then(() => {
      for (const key of this.#listeners.keys()) this.#wake(key);
    });
  }

  /** Forgets what was said about the document. */
  forget(document: OpenDocument): void {
    this.#published.delete(this.#keyOf(document.uri));
  }

  /** Problems of the present text of the document; waits `waitMs` at most. */
  async of(document: OpenDocument, waitMs: number, signal?: AbortSignal): Promise<Diagnosis> {
    const until = Date.now() + waitMs;
    try {
      const pulled = this.#canPull() ? await this.#pull(document, until, signal) : undefined;
      if (pulled === undefined) return await this.#pushed(document, until, waitMs, signal);
      return found([...pulled, ...this.#only(document, pulled)]);
    } catch (error) {
      const why = error instanceof LspFailure ? error.message : requestFailure(DocumentDiagnosticRequest.method, error);
      return { state: "not-checked", why };
    }
  }

  #canPull(): boolean {
    if (this.#pullFails) return false;
    const { capabilities, registrations } = this.#server;
    return capabilities.diagnosticProvider !== undefined || registrations.of(DocumentDiagnosticRequest.method).length > 0;
  }

  /** The answer to `textDocument/diagnostic`; undefined when the server cannot answer it after all. */
  async #pull({ uri }: OpenDocument, until: number, signal?: AbortSignal): Promise<Diagnostic[] | undefined> {
    const { readiness } = this.#server;
    for (;;) {
      await readiness.settled(Math.max(0, until - Date.now()), signal);
      const before = readiness.changes;
      const left = Math.max(1, until - Date.now());
      try {
        const report = await this.#server.ask(DocumentDiagnosticRequest.type, { textDocument: { uri }, ...this.#identifier() }, left, signal);
        const again = readiness.changes !== before && readiness.loading !== undefined && Date.now() < until;
        if (!again) return report.kind === DocumentDiagnosticReportKind.Full ? report.items : [];
      } catch (error) {
        if (!(error instanceof ResponseError)) throw error;
        if (error.code === ErrorCodes.MethodNotFound) {
          this.#pullFails = true;
          return undefined;
        }
        const retry = error.code === LSPErrorCodes.ServerCancelled || error.code === LSPErrorCodes.ContentModified;
        if (!retry || Date.now() >= until) throw error;
      }
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
    await this.#server.readiness.settled(Math.max(0, until - Date.now()), signal);
    for (;;) {
      if (signal?.aborted === true) return { state: "not-checked", why: "the call was cancelled" };
      if (this.#server.gone !== undefined) return { state: "not-checked", why: this.#server.gone };
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
