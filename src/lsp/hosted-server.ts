/** A language server with its documents and what it says about them: all that the calls which share it need. */
import type { ProtocolRequestType, ServerCapabilities } from "vscode-languageserver-protocol";
import { Diagnoses } from "./diagnoses.js";
import { Documents } from "./documents.js";
import { LanguageServer, type Place } from "./language-server.js";
import type { ServerDefinition } from "./registry.js";
import type { Launch } from "./server-process.js";
import type { Diagnosis, OpenDocument, Session } from "./session.js";
import { requestTimeoutMs } from "./settings.js";
import { handsThrough, reloadProjects } from "./tsserver-diagnostics.js";
import { type Change, tellsInstallation, WatchedFiles } from "./watched-files.js";
import { pathKey, pathOfUri, uriOf } from "./uris.js";
import { DidChangeWatchedFilesNotification, FileChangeType } from "./protocol.js";

/** Paths here and URIs as the server is told them. */
export interface PathMap {
  uriOf(path: string): string;
  /** Undefined when the URI is no file. */
  pathOf(uri: string): string | undefined;
}

export const SAME_PATHS: PathMap = { uriOf, pathOf: pathOfUri };

export class HostedServer {
  readonly server: LanguageServer;
  readonly documents: Documents;
  readonly diagnoses: Diagnoses;
  readonly paths: PathMap;
  readonly #watched: WatchedFiles;
  /** Whether packages were installed since it was started. */
  #outdated = false;

  private constructor(server: LanguageServer, paths: PathMap, watched: WatchedFiles) {
    this.server = server;
    this.paths = paths;
    this.#watched = watched;
    this.documents = new Documents(server, (path) => paths.uriOf(path), {
      changed: (document) => {
        if (document.version > 1) this.diagnoses.doubt();
        this.diagnoses.forget(document);
      },
      closed: (document) => this.diagnoses.forget(document),
    });
    const keyOf = (uri: string): string => {
      const path = paths.pathOf(uri);
      return path === undefined ? uri : pathKey(path);
    };
    this.diagnoses = new Diagnoses(server, keyOf, (key) => this.documents.byKey(key));
  }

  static async start(definition: ServerDefinition, place: Place, launch: Launch, paths: PathMap, signal: AbortSignal): Promise<HostedServer> {
    const watched = new WatchedFiles(place.root, definition.extensions);
    // What there is before the server reads anything is what later looks are compared with.
    const [server] = await Promise.all([LanguageServer.start(definition, place, launch, signal), watched.changes()]);
    return new HostedServer(server, paths, watched);
  }

  /** Brings what the server knows up to date with the disk; false when only a new one would know, since packages were installed. */
  async refresh(): Promise<boolean> {
    const [changes] = await Promise.all([this.#wantsChanges() ? this.#watched.changes() : [], this.documents.refresh()]);
    this.#outdated ||= changes.some(({ path }) => tellsInstallation(path));
    if (this.#outdated) return false;
    if (changes.length === 0) return true;
    if (!handsThrough(this.server)) this.#tell(changes);
    else if (changes.some(({ path, type }) => type !== FileChangeType.Changed || !this.documents.has(path))) reloadProjects(this.server);
    this.diagnoses.doubt();
    return true;
  }

  #tell(changes: readonly Change[]): void {
    const told = changes.map(({ path, type }) => ({ uri: this.paths.uriOf(path), type }));
    this.server.notify(DidChangeWatchedFilesNotification.type, { changes: told });
  }

  #wantsChanges(): boolean {
    return handsThrough(this.server) || this.server.registrations.of(DidChangeWatchedFilesNotification.method).length > 0;
  }

  /** Sends a request when the project is loaded, or has been waited for long enough. */
  async request<P, R>(type: ProtocolRequestType<P, R, unknown, unknown, unknown>, params: P, signal?: AbortSignal): Promise<R> {
    const until = Date.now() + requestTimeoutMs();
    return this.server.readiness.whenLoaded(until, signal, () => this.server.request(type, params, signal));
  }
}

/** One call's use of a server. Ending it lets go of the documents the call had opened. */
export class Lease implements Session {
  readonly #host: HostedServer;
  /** Path → how often this call opened it. */
  readonly #opened = new Map<string, number>();

  constructor(host: HostedServer) {
    this.#host = host;
  }

  get name(): string {
    return this.#host.server.definition.name;
  }

  get root(): string {
    return this.#host.server.place.root;
  }

  get capabilities(): ServerCapabilities {
    return this.#host.server.capabilities;
  }

  get loading(): string | undefined {
    return this.#host.server.readiness.loading;
  }

  async open(path: string): Promise<OpenDocument> {
    const document = await this.#host.documents.open(path);
    this.#opened.set(path, (this.#opened.get(path) ?? 0) + 1);
    return document;
  }

  async close({ path }: OpenDocument): Promise<void> {
    const times = this.#opened.get(path) ?? 0;
    if (times === 0) return;
    this.#opened.set(path, times - 1);
    await this.#host.documents.release(path, true);
  }

  diagnose(document: OpenDocument, waitMs: number, signal?: AbortSignal): Promise<Diagnosis> {
    return this.#host.diagnoses.of(document, waitMs, signal);
  }

  request<P, R>(type: ProtocolRequestType<P, R, unknown, unknown, unknown>, params: P, signal?: AbortSignal): Promise<R> {
    return this.#host.request(type, params, signal);
  }

  pathOf(uri: string): string {
    return this.#host.paths.pathOf(uri) ?? uri;
  }

  async end(): Promise<void> {
    for (const [path, times] of this.#opened) {
      for (let count = 0; count < times; count++) await this.#host.documents.release(path, false);
    }
    this.#opened.clear();
  }
}
