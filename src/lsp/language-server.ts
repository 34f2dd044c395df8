/**
 * One running language server: its process, the connection to it, and the conversation that every server has —
 * initialize, what it asks of us, shutdown. Documents and diagnostics are next door.
 */
import {
  CancellationTokenSource,
  createMessageConnection,
  ErrorCodes,
  ResponseError,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import type {
  ProtocolConnection,
  ProtocolNotificationType,
  ProtocolRequestType,
  PublishDiagnosticsParams,
  ServerCapabilities,
} from "vscode-languageserver-protocol";
import { answerServer } from "./answers.js";
import { endingText, isAdvice, quoted, requestFailure } from "./failure-text.js";
import { FrameReader } from "./frame-reader.js";
import { initialize } from "./initialize.js";
import { Readiness } from "./readiness.js";
import { Registrations } from "./registrations.js";
import type { ServerDefinition } from "./registry.js";
import { type Launch, ServerProcess } from "./server-process.js";
import { LspFailure } from "./session.js";
import { requestTimeoutMs } from "./settings.js";
import { ExitNotification, LSPErrorCodes, ShutdownRequest } from "./protocol.js";

/** How long a server may take to answer `shutdown`, in milliseconds. All of ending stays below two seconds. */
const SHUTDOWN_MS = 700;
/** A server that lets so many requests in a row run out of time without a word is taken for hung. */
const SILENT_TIMEOUTS = 3;
/** How long after its input broke a server may still end by itself, in milliseconds. */
const UNREAD_MS = 2_000;
/** How often a request is sent again that the server gave up because its own state changed. */
const MODIFIED_RETRIES = 4;
const MODIFIED_PAUSE_MS = 150;

/** Where a server works, as it is told: inside a container another path than here. */
export interface Place {
  /** Absolute path of the workspace root on this machine. */
  root: string;
  /** URI of the root that the server is told. */
  rootUri: string;
  /** Whether the server sees our process ids. */
  sharesProcesses: boolean;
}

export class LanguageServer {
  readonly definition: ServerDefinition;
  readonly place: Place;
  readonly readiness: Readiness;
  readonly registrations = new Registrations();
  /** Called for each `textDocument/publishDiagnostics`. */
  onPublish: (params: PublishDiagnosticsParams) => void = () => {};
  capabilities: ServerCapabilities = {};
  readonly #process: ServerProcess;
  readonly #connection: ProtocolConnection;
  #gone: string | undefined;
  #sayRetired: () => void = () => {};
  /** Resolves when the server can no longer be used; its process may still be ending. */
  readonly retired = new Promise<void>((resolve) => (this.#sayRetired = resolve));
  readonly #abandon = new Set<(failure: LspFailure) => void>();
  #heard = 0;
  #silentTimeouts = 0;
  #lastSilence = 0;

  private constructor(definition: ServerDefinition, place: Place, launch: Launch) {
    this.definition = definition;
    this.place = place;
    this.readiness = new Readiness(definition.readySign);
    this.#process = new ServerProcess(launch);
    const reader = new FrameReader(this.#process.child.stdout, () => this.#heard++);
    this.#connection = createMessageConnection(reader, new StreamMessageWriter(this.#process.child.stdin));
    reader.onError((error) => this.#retire(`${definition.name} was ended: ${error.message}`));
    answerServer(this.#connection, this);
    this.#connection.listen();
    void this.#process.ended.then((ending) => {
      this.#retire(endingText(definition.name, ending, this.#process.lastWords()));
      this.#connection.dispose();
      this.readiness.close();
    });
  }

  /** Starts the program and initializes it. @throws {LspFailure} when that fails or takes too long; nothing is left running. */
  static async start(definition: ServerDefinition, place: Place, launch: Launch, signal?: AbortSignal): Promise<LanguageServer> {
    const server = new LanguageServer(definition, place, launch);
    try {
      const limit = Math.max(definition.initializeMs ?? 0, requestTimeoutMs());
      server.capabilities = await initialize(server, limit, signal);
      return server;
    } catch (error) {
      const words = server.gone === undefined ? quoted(server.#process.lastWords()) : "";
      await server.kill();
      throw error instanceof LspFailure && words !== "" && !isAdvice(error) ? new LspFailure(`${error.message}${words}`) : error;
    }
  }

  /** Why the server can no longer be used, or undefined. */
  get gone(): string | undefined {
    return this.#gone;
  }

  /** Resolves when the process is gone. */
  get ended(): Promise<unknown> {
    return this.#process.ended;
  }

  /** Sends a notification, if the server is there; one that does not read is noticed by its requests. */
  notify<P>(type: ProtocolNotificationType<P, unknown>, params: P): void {
    if (this.#gone === undefined) void this.#send(() => this.#connection.sendNotification(type.method, params)).catch(() => {});
  }

  /**
   * Sends a request and waits `limitMs` at most; a timeout or an abort cancels it on the server.
   * @throws {ResponseError} what the server answered, and {LspFailure} for everything else.
   */
  async ask<P, R>(type: ProtocolRequestType<P, R, unknown, unknown, unknown>, params: P, limitMs: number, signal?: AbortSignal): Promise<R> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#askOnce(type, params, limitMs, signal);
      } catch (error) {
        if (attempt >= MODIFIED_RETRIES || !isOutdated(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, MODIFIED_PAUSE_MS << attempt));
      }
    }
  }

  /** As `ask`, within the limit of all requests; an error that the server answers is an LspFailure too. */
  async request<P, R>(type: ProtocolRequestType<P, R, unknown, unknown, unknown>, params: P, signal?: AbortSignal): Promise<R> {
    try {
      return await this.ask(type, params, requestTimeoutMs(), signal);
    } catch (error) {
      if (error instanceof LspFailure) throw error;
      throw requestFailure(type.method, error);
    }
  }

  /** Ends the server politely, then less so; takes two seconds at most. */
  async end(): Promise<void> {
    if (this.#gone === undefined) {
      const polite = new AbortController();
      const timer = setTimeout(() => polite.abort(), SHUTDOWN_MS);
      await this.#sayGoodbye(polite.signal).catch(() => {});
      clearTimeout(timer);
      this.#retire(`${this.definition.name} was ended because it was not needed any more`, false);
    }
    await this.#process.end();
  }

  /** Ends the server at once. */
  async kill(): Promise<void> {
    this.#retire(`${this.definition.name} was ended`, false);
    this.#process.kill();
    await this.#process.ended;
  }

  async #sayGoodbye(signal: AbortSignal): Promise<void> {
    const answered = this.#send(() => this.#connection.sendRequest(ShutdownRequest.type)).catch(() => {});
    await Promise.race([answered, new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))]);
    if (!signal.aborted) void this.#send(() => this.#connection.sendNotification(ExitNotification.type)).catch(() => {});
  }

  #askOnce<P, R>(type: ProtocolRequestType<P, R, unknown, unknown, unknown>, params: P, limitMs: number, signal?: AbortSignal): Promise<R> {
    if (this.#gone !== undefined) return Promise.reject(new LspFailure(this.#gone));
    if (signal?.aborted === true) return Promise.reject(new LspFailure(`${type.method} was cancelled`));
    const source = new CancellationTokenSource();
    const [heard, begun] = [this.#heard, Date.now()];
    return new Promise<R>((resolve, reject) => {
      const finish = (settle: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
        this.#abandon.delete(abandon);
        settle();
      };
      const abandon = (failure: LspFailure): void => finish(() => reject(failure));
      const giveUp = (why: string): void => {
        abandon(new LspFailure(why));
        if (this.#gone === undefined) source.cancel(); // tells the server
      };
      const aborted = (): void => giveUp(`${type.method} was cancelled`);
      const timer = setTimeout(() => {
        giveUp(`${type.method} timed out after ${limitMs} ms`);
        this.#ranOut(heard, begun);
      }, limitMs);
      signal?.addEventListener("abort", aborted, { once: true });
      this.#abandon.add(abandon);
      this.#send(() => this.#connection.sendRequest<R>(type.method, params, source.token)).then(
        (result) => finish(() => resolve(result)),
        (error: unknown) => {
          const code = error instanceof ResponseError ? error.code : ErrorCodes.MessageWriteError;
          if (code === ErrorCodes.MessageWriteError) this.#cannotWrite();
          else if (code !== ErrorCodes.PendingResponseRejected) finish(() => reject(error as Error));
        },
      );
    });
  }

  /** A connection whose other end has closed its output throws instead of rejecting. */
  async #send<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  /** Mostly the process is about to end, and how it does tells more. */
  #cannotWrite(): void {
    setTimeout(() => this.#retire(`${this.definition.name} was ended: it does not read any more`), UNREAD_MS).unref();
  }

  /** Requests that waited side by side count as one: a busy server is not a hung one. */
  #ranOut(heardBefore: number, begun: number): void {
    if (this.#heard !== heardBefore) this.#silentTimeouts = 0;
    else if (begun >= this.#lastSilence) {
      this.#silentTimeouts++;
      this.#lastSilence = Date.now();
    }
    if (this.#silentTimeouts >= SILENT_TIMEOUTS) this.#retire(`${this.definition.name} was ended: it did not answer any more`);
  }

  /** Rejects what waits for the server, and ends its process. Only the first reason counts. */
  #retire(why: string, kill = true): void {
    if (this.#gone !== undefined) return;
    this.#gone = why;
    this.#sayRetired();
    for (const abandon of this.#abandon) abandon(new LspFailure(why));
    if (kill) this.#process.kill();
  }
}

/** The server gave the request up because documents or its own state changed meanwhile. */
function isOutdated(error: unknown): boolean {
  return error instanceof ResponseError && (error.code === LSPErrorCodes.ContentModified || error.code === LSPErrorCodes.ServerCancelled);
}
