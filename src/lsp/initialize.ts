/** The opening of the conversation with a language server. */
import type { InitializeParams, InitializeResult, ServerCapabilities } from "vscode-languageserver-protocol";
import { basename } from "node:path";
import { pluginVersion } from "../mcp/plugin-version.js";
import { CLIENT_CAPABILITIES } from "./client-capabilities.js";
import { initializeFailure } from "./failure-text.js";
import type { LanguageServer } from "./language-server.js";
import { LspFailure } from "./session.js";
import { pathOfUri } from "./uris.js";
import { DidChangeConfigurationNotification, InitializedNotification, InitializeRequest } from "./protocol.js";

/** Initializes the server and returns what it can do. @throws {LspFailure} */
export async function initialize(server: LanguageServer, limitMs: number, signal?: AbortSignal): Promise<ServerCapabilities> {
  const { definition, place } = server;
  const params: InitializeParams = {
    processId: place.sharesProcesses ? process.pid : null,
    clientInfo: { name: "omcbuild", version: pluginVersion() },
    locale: "en",
    rootUri: place.rootUri,
    rootPath: pathOfUri(place.rootUri) ?? null,
    workspaceFolders: [{ uri: place.rootUri, name: basename(place.root) }],
    initializationOptions: definition.options ?? {},
    capabilities: CLIENT_CAPABILITIES,
  };
  try {
    const result = (await server.ask(InitializeRequest.type, params, limitMs, signal)) as Partial<InitializeResult> | null;
    if (typeof result?.capabilities !== "object") throw new LspFailure(`${definition.name} answered initialize without its capabilities`);
    server.readiness.restart();
    server.notify(InitializedNotification.type, {});
    if (definition.settings !== undefined) {
      // Some servers do not ask for their configuration.
      server.notify(DidChangeConfigurationNotification.type, { settings: definition.settings });
    }
    return result.capabilities;
  } catch (error) {
    if (error instanceof LspFailure) throw error;
    throw initializeFailure(definition, error);
  }
}
