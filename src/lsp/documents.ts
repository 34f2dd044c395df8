/**
 * The documents that a server has open, kept equal to the disk. A document stays open after the call that needed it, so
 * that the next call is quick, until too many are open; those of running calls are never closed under them.
 */
import { stat } from "node:fs/promises";
import type { SaveOptions } from "vscode-languageserver-protocol";
import type { LanguageServer } from "./language-server.js";
import { languageIdOf } from "./languages.js";
import type { OpenDocument } from "./session.js";
import { readSource, stampOf } from "./source-file.js";
import { pathKey } from "./uris.js";
import {
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  TextDocumentSyncKind,
} from "./protocol.js";

/** How many documents no call needs may stay open. */
const MAX_IDLE_DOCUMENTS = 32;

interface Entry {
  document: OpenDocument;
  stamp: string;
  /** Calls that use it now. */
  users: number;
  lastUsed: number;
}

export interface DocumentEvents {
  /** The text is new to the server: what it said about an earlier one no longer counts. */
  changed(document: OpenDocument): void;
  closed(document: OpenDocument): void;
}

export class Documents {
  readonly #server: LanguageServer;
  readonly #uriOf: (path: string) => string;
  readonly #events: DocumentEvents;
  readonly #entries = new Map<string, Entry>();
  /** What is going on with a path; operations on one path take turns. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #clock = 0;

  constructor(server: LanguageServer, uriOf: (path: string) => string, events: DocumentEvents) {
    this.#server = server;
    this.#uriOf = uriOf;
    this.#events = events;
  }

  /** Opens the file or brings the server up to date, and counts one user more. @throws {LspFailure} */
  async open(path: string): Promise<OpenDocument> {
    return this.#inTurn(path, async () => {
      const key = pathKey(path);
      const source = await readSource(path);
      let entry = this.#entries.get(key);
      if (entry === undefined) {
        entry = { document: this.#tellOpened(path, source.text), stamp: source.stamp, users: 0, lastUsed: 0 };
        this.#entries.set(key, entry);
      } else {
        this.#tellChanged(entry, source.text);
        entry.stamp = source.stamp;
      }
      entry.users++;
      entry.lastUsed = ++this.#clock;
      this.#closeLongUnused();
      return entry.document;
    });
  }

  /** One user less; `andClose` closes it when nobody else uses it. */
  async release(path: string, andClose: boolean): Promise<void> {
    await this.#inTurn(path, async () => {
      const entry = this.#entries.get(pathKey(path));
      if (entry === undefined) return;
      entry.users = Math.max(0, entry.users - 1);
      if (andClose && entry.users === 0) this.#close(entry);
    });
    this.#closeLongUnused();
  }

  /** Brings all open documents up to date; those whose files are gone are closed. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#entries.values()].map((entry) => this.#refreshOne(entry)));
  }

  /** Whether the document is still the one that the server has. */
  isPresent(document: OpenDocument): boolean {
    return this.#entries.get(pathKey(document.path))?.document === document;
  }

  /** Whether the file is open. */
  has(path: string): boolean {
    return this.#entries.has(pathKey(path));
  }

  byKey(key: string): OpenDocument | undefined {
    return this.#entries.get(key)?.document;
  }

  async #refreshOne(entry: Entry): Promise<void> {
    const { path } = entry.document;
    await this.#inTurn(path, async () => {
      const found = await stat(path).catch(() => undefined);
      if (this.#entries.get(pathKey(path)) !== entry || (found !== undefined && stampOf(found) === entry.stamp)) return;
      try {
        const source = await readSource(path);
        this.#tellChanged(entry, source.text);
        entry.stamp = source.stamp;
      } catch {
        this.#close(entry);
      }
    });
  }

  #tellOpened(path: string, text: string): OpenDocument {
    const document = { path, uri: this.#uriOf(path), languageId: this.#server.definition.languageId ?? languageIdOf(path, text), version: 1, text };
    this.#events.changed(document);
    const { uri, languageId, version } = document;
    this.#server.notify(DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId, version, text } });
    return document;
  }

  #tellChanged(entry: Entry, text: string): void {
    if (entry.document.text === text) return;
    const document = { ...entry.document, version: entry.document.version + 1, text };
    entry.document = document;
    this.#events.changed(document);
    const { uri, version } = document;
    if (this.#syncKind() !== TextDocumentSyncKind.None) {
      this.#server.notify(DidChangeTextDocumentNotification.type, { textDocument: { uri, version }, contentChanges: [{ text }] });
    }
    const save = this.#save();
    if (save !== undefined) {
      const params = { textDocument: { uri }, ...(save.includeText === true && { text }) };
      this.#server.notify(DidSaveTextDocumentNotification.type, params);
    }
  }

  #close(entry: Entry): void {
    const { document } = entry;
    if (!this.#entries.delete(pathKey(document.path))) return;
    this.#server.notify(DidCloseTextDocumentNotification.type, { textDocument: { uri: document.uri } });
    this.#events.closed(document);
  }

  #closeLongUnused(): void {
    const idle = [...this.#entries.values()].filter(({ users }) => users === 0);
    if (idle.length <= MAX_IDLE_DOCUMENTS) return;
    idle.sort((a, b) => a.lastUsed - b.lastUsed);
    for (const entry of idle.slice(0, idle.length - MAX_IDLE_DOCUMENTS)) this.#close(entry);
  }

  #syncKind(): TextDocumentSyncKind {
    const sync = this.#server.capabilities.textDocumentSync;
    return (typeof sync === "object" ? sync.change : sync) ?? TextDocumentSyncKind.Full;
  }

  /** How the server wants to hear of saved documents, or undefined. */
  #save(): SaveOptions | undefined {
    const sync = this.#server.capabilities.textDocumentSync;
    const save = typeof sync === "object" ? sync.save : sync !== TextDocumentSyncKind.None;
    if (save !== undefined && save !== false) return save === true ? {} : save;
    const [registered] = this.#server.registrations.of(DidSaveTextDocumentNotification.method);
    return registered as SaveOptions | undefined;
  }

  /** Runs `work` when all earlier work on the path is done. */
  async #inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
    const key = pathKey(path);
    const before = this.#turns.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#turns.set(key, turn);
    const forget = (): void => {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    };
    turn.then(forget, forget);
    return turn;
  }
}
