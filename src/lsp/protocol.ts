/**
 * The messages and numbers of the language server protocol that are used here. They are typed, and their values checked
 * in the test, by vscode-languageserver-protocol. That package makes the messages of the whole protocol and comes as
 * one piece, so in the bundle it would be a tenth of what is read at every start.
 */
import { NotificationType, NotificationType0, ParameterStructures, RequestType, RequestType0 } from "vscode-jsonrpc/node";
import type * as Protocol from "vscode-languageserver-protocol";

/** A message as the protocol package describes it; `type` is what a connection takes. */
interface Message {
  method: string;
  type: unknown;
}

type Used<M extends Message> = Pick<M, "method" | "type">;

// What the package's own classes of messages add is for the compiler alone.
const request = <M extends Message>(method: M["method"]) => ({ method, type: new RequestType(method, ParameterStructures.byName) }) as Used<M>;
const request0 = <M extends Message>(method: M["method"]) => ({ method, type: new RequestType0(method) }) as Used<M>;
const notification = <M extends Message>(method: M["method"]) =>
  ({ method, type: new NotificationType(method, ParameterStructures.byName) }) as Used<M>;
const notification0 = <M extends Message>(method: M["method"]) => ({ method, type: new NotificationType0(method) }) as Used<M>;

export const ApplyWorkspaceEditRequest = request<typeof Protocol.ApplyWorkspaceEditRequest>("workspace/applyEdit");
export const CodeActionRequest = request<typeof Protocol.CodeActionRequest>("textDocument/codeAction");
export const CodeActionResolveRequest = request<typeof Protocol.CodeActionResolveRequest>("codeAction/resolve");
export const ConfigurationRequest = request<typeof Protocol.ConfigurationRequest>("workspace/configuration");
export const DefinitionRequest = request<typeof Protocol.DefinitionRequest>("textDocument/definition");
export const DocumentDiagnosticRequest = request<typeof Protocol.DocumentDiagnosticRequest>("textDocument/diagnostic");
export const DocumentSymbolRequest = request<typeof Protocol.DocumentSymbolRequest>("textDocument/documentSymbol");
export const ExecuteCommandRequest = request<typeof Protocol.ExecuteCommandRequest>("workspace/executeCommand");
export const HoverRequest = request<typeof Protocol.HoverRequest>("textDocument/hover");
export const InitializeRequest = request<typeof Protocol.InitializeRequest>("initialize");
export const PrepareRenameRequest = request<typeof Protocol.PrepareRenameRequest>("textDocument/prepareRename");
export const ReferencesRequest = request<typeof Protocol.ReferencesRequest>("textDocument/references");
export const RegistrationRequest = request<typeof Protocol.RegistrationRequest>("client/registerCapability");
export const RenameRequest = request<typeof Protocol.RenameRequest>("textDocument/rename");
export const ShowMessageRequest = request<typeof Protocol.ShowMessageRequest>("window/showMessageRequest");
export const UnregistrationRequest = request<typeof Protocol.UnregistrationRequest>("client/unregisterCapability");
export const WorkDoneProgressCreateRequest = request<typeof Protocol.WorkDoneProgressCreateRequest>("window/workDoneProgress/create");
export const WorkspaceSymbolRequest = request<typeof Protocol.WorkspaceSymbolRequest>("workspace/symbol");

export const DiagnosticRefreshRequest = request0<typeof Protocol.DiagnosticRefreshRequest>("workspace/diagnostic/refresh");
export const ShutdownRequest = request0<typeof Protocol.ShutdownRequest>("shutdown");
export const WorkspaceFoldersRequest = request0<typeof Protocol.WorkspaceFoldersRequest>("workspace/workspaceFolders");

export const DidChangeConfigurationNotification = notification<typeof Protocol.DidChangeConfigurationNotification>("workspace/didChangeConfiguration");
export const DidChangeTextDocumentNotification = notification<typeof Protocol.DidChangeTextDocumentNotification>("textDocument/didChange");
export const DidChangeWatchedFilesNotification = notification<typeof Protocol.DidChangeWatchedFilesNotification>("workspace/didChangeWatchedFiles");
export const DidCloseTextDocumentNotification = notification<typeof Protocol.DidCloseTextDocumentNotification>("textDocument/didClose");
export const DidOpenTextDocumentNotification = notification<typeof Protocol.DidOpenTextDocumentNotification>("textDocument/didOpen");
export const DidSaveTextDocumentNotification = notification<typeof Protocol.DidSaveTextDocumentNotification>("textDocument/didSave");
export const InitializedNotification = notification<typeof Protocol.InitializedNotification>("initialized");
export const PublishDiagnosticsNotification = notification<typeof Protocol.PublishDiagnosticsNotification>("textDocument/publishDiagnostics");

export const ExitNotification = notification0<typeof Protocol.ExitNotification>("exit");

export const CodeActionTriggerKind = { Invoked: 1 } as const satisfies Partial<typeof Protocol.CodeActionTriggerKind>;
export const DiagnosticSeverity = { Error: 1, Warning: 2, Hint: 4 } as const satisfies Partial<typeof Protocol.DiagnosticSeverity>;
export type DiagnosticSeverity = Protocol.DiagnosticSeverity;
export const DiagnosticTag = { Unnecessary: 1, Deprecated: 2 } as const satisfies Partial<typeof Protocol.DiagnosticTag>;
export const FileChangeType = { Created: 1, Changed: 2, Deleted: 3 } as const satisfies Partial<typeof Protocol.FileChangeType>;
export type FileChangeType = Protocol.FileChangeType;
export const LSPErrorCodes = { ServerCancelled: -32802, ContentModified: -32801 } as const satisfies Partial<typeof Protocol.LSPErrorCodes>;
export const MarkupKind = { PlainText: "plaintext", Markdown: "markdown" } as const satisfies Partial<typeof Protocol.MarkupKind>;
export const TextDocumentSyncKind = { None: 0, Full: 1 } as const satisfies Partial<typeof Protocol.TextDocumentSyncKind>;
export type TextDocumentSyncKind = Protocol.TextDocumentSyncKind;
