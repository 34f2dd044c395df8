/**
 * What a tool sees of a language server: one session with one server for one workspace, leased for the time of a call.
 * Everything behind it — which server, how it is started, shared, kept in step with the disk and ended — is the
 * business of this folder; what answers look like is the business of `src/tools/lsp`.
 */
import type {
  Diagnostic,
  ProtocolRequestType,
  ServerCapabilities,
} from "vscode-languageserver-protocol";

/** A file as the language server knows it at this moment: the same text that is on the disk. */
export interface OpenDocument {
  /** Absolute real path on this machine. */
  path: string;
  /** Canonical URI that the server was told (inside a container: of the container). */
  uri: string;
  languageId: string;
  version: number;
  text: string;
}

/** What is known about the problems of a document. Silence of a server is not the same as a clean file. */
export type Diagnosis =
  | { state: "found"; items: Diagnostic[] }
  | { state: "none" }
  | { state: "not-checked"; why: string };

export interface Session {
  /** Display name of the language server. */
  readonly name: string;
  /** Absolute path of the workspace root. */
  readonly root: string;
  readonly capabilities: ServerCapabilities;
  /** Why answers may still be incomplete (the server reports that it is loading), or undefined. */
  readonly loading: string | undefined;
  /** Opens the file, or brings the server up to date with the disk. @throws {LspFailure} when it cannot be read. */
  open(path: string, signal?: AbortSignal): Promise<OpenDocument>;
  /** Closes a document that only this call needed, unless another call uses it. */
  close(document: OpenDocument): Promise<void>;
  /** Problems of the document's present text; waits until the server has spoken about it, `waitMs` at most. */
  diagnose(document: OpenDocument, waitMs: number, signal?: AbortSignal): Promise<Diagnosis>;
  /** Sends a request; a timeout or an abort cancels it on the server. @throws {LspFailure} */
  request<P, R>(type: ProtocolRequestType<P, R, unknown, unknown, unknown>, params: P, signal?: AbortSignal): Promise<R>;
  /** Path on this machine of a URI that the server gave (of a container: translated). Not a file URI: the URI itself. */
  pathOf(uri: string): string;
}

/** Anything that went wrong with a language server, in a sentence the caller can act on. Its text is shown as it is. */
export class LspFailure extends Error {
  override readonly name = "LspFailure";

  /** @param refusal when the server answered the request with an error; it is well then. */
  constructor(
    message: string,
    readonly refusal?: Refusal,
  ) {
    super(message);
  }
}

/** The error that a server answered. */
export interface Refusal {
  code: number;
  /** Its own words, without a stack trace. */
  words: string;
}

/** A language server as `lsp_servers` lists it. */
export interface ServerStatus {
  name: string;
  command: string;
  extensions: readonly string[];
  install: string;
  installed: boolean;
  /** Why a command that is there cannot be used, as found when it was last tried. */
  trouble?: string;
}
