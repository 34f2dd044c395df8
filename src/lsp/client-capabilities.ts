/** What we tell a language server about ourselves. Everything said here is done somewhere in this folder or by the tools. */
import type { ClientCapabilities, SymbolKind } from "vscode-languageserver-protocol";
import { MarkupKind } from "./protocol.js";

/** The kinds of code actions a server may offer; others come below these. */
const CODE_ACTION_KINDS = [
  "",
  "quickfix",
  "refactor",
  "refactor.extract",
  "refactor.inline",
  "refactor.move",
  "refactor.rewrite",
  "source",
  "source.organizeImports",
  "source.fixAll",
];

const SYMBOL_KINDS = Array.from({ length: 26 }, (_, index) => (index + 1) as SymbolKind);

export const CLIENT_CAPABILITIES: ClientCapabilities = {
  general: { positionEncodings: ["utf-16"] },
  window: { workDoneProgress: true, showMessage: {} },
  workspace: {
    applyEdit: true,
    configuration: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    workspaceFolders: true,
    symbol: { symbolKind: { valueSet: SYMBOL_KINDS } },
    workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
    diagnostics: { refreshSupport: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    hover: { contentFormat: [MarkupKind.Markdown, MarkupKind.PlainText] },
    definition: { linkSupport: true },
    references: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true, symbolKind: { valueSet: SYMBOL_KINDS } },
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: CODE_ACTION_KINDS } },
      isPreferredSupport: true,
      disabledSupport: true,
      dataSupport: true,
      resolveSupport: { properties: ["edit", "command"] },
    },
    rename: { prepareSupport: true },
    publishDiagnostics: { relatedInformation: true, tagSupport: { valueSet: [1, 2] }, versionSupport: true, dataSupport: true },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
  },
  experimental: { serverStatusNotification: true },
};
