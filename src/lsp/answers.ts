/** What a language server may ask or tell us, and what we answer. We have no user to ask and change no files. */
import type { ConfigurationItem, ProtocolConnection } from "vscode-languageserver-protocol";
import { basename } from "node:path";
import type { LanguageServer } from "./language-server.js";
import type { Progress } from "./readiness.js";
import {
  ApplyWorkspaceEditRequest,
  ConfigurationRequest,
  DiagnosticRefreshRequest,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  ShowMessageRequest,
  UnregistrationRequest,
  WorkDoneProgressCreateRequest,
  WorkspaceFoldersRequest,
} from "./protocol.js";

export function answerServer(connection: ProtocolConnection, server: LanguageServer): void {
  const { readiness, registrations, definition, place } = server;
  connection.onRequest(ConfigurationRequest.type, ({ items }) => items.map((item) => setting(definition.settings, item)));
  connection.onRequest(RegistrationRequest.type, (params) => registrations.add(params.registrations));
  connection.onRequest(UnregistrationRequest.type, (params) => registrations.remove(params.unregisterations));
  connection.onRequest(WorkDoneProgressCreateRequest.type, () => {});
  connection.onRequest(WorkspaceFoldersRequest.type, () => [{ uri: place.rootUri, name: basename(place.root) }]);
  connection.onRequest(ShowMessageRequest.type, () => null);
  connection.onRequest(DiagnosticRefreshRequest.type, () => {});
  connection.onRequest(ApplyWorkspaceEditRequest.type, () => ({
    applied: false,
    failureReason: "this client only shows edits",
  }));
  connection.onNotification(PublishDiagnosticsNotification.type, (params) => server.onPublish(params));
  connection.onNotification("$/progress", (params: { token: string | number; value?: Progress }) => {
    readiness.progress(params.token, params.value ?? {});
  });
  connection.onNotification("experimental/serverStatus", (params: { quiescent?: unknown }) => {
    readiness.serverStatus(params.quiescent);
  });
  connection.onNotification("language/status", (params: { type?: unknown }) => readiness.languageStatus(params.type));
}

/** The value at a dotted section of the settings; null when there is none, which servers read as their default. */
function setting(settings: Readonly<Record<string, unknown>> | undefined, { section }: ConfigurationItem): unknown {
  if (section === undefined || section === "") return settings ?? null;
  let value: unknown = settings;
  for (const part of section.split(".")) {
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }
  return value ?? null;
}
