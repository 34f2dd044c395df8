/** What the handlers of single requests do. Loaded with the first call, since the protocol's library is large. */
import type { Position, TextDocumentPositionParams } from "vscode-languageserver-protocol";
import { cut } from "../../lib/cut.js";
import { fail, type ToolContext, type ToolResult } from "../types.js";
import { askAbout, askAround, type Asked } from "./asking.js";
import { diagnosisText, type Severity } from "./diagnostics-text.js";
import { isRefusal } from "./failure.js";
import { hoverText } from "./hover-text.js";
import { silenceMs } from "./limits.js";
import { definitionText, referencesText } from "./locations.js";
import { CANNOT_RENAME, prepareRenameText, renameText } from "./rename-text.js";
import { documentSymbolsText, workspaceSymbolsText } from "./symbols-text.js";
import {
  DefinitionRequest,
  DocumentSymbolRequest,
  HoverRequest,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
  WorkspaceSymbolRequest,
} from "../../lsp/protocol.js";

/** A place as callers give it: `line` from 1, `character` from 0. */
export interface Place {
  file: string;
  line: number;
  character: number;
}

export function hover(place: Place, context: ToolContext): Promise<ToolResult> {
  return askAbout("hover", place.file, context, async (asked) =>
    hoverText(await asked.session.request(HoverRequest.type, at(asked, place), asked.signal)),
  );
}

export function gotoDefinition(place: Place, context: ToolContext): Promise<ToolResult> {
  return askAbout("goto definition", place.file, context, async (asked) =>
    definitionText(await asked.session.request(DefinitionRequest.type, at(asked, place), asked.signal), pathsOf(asked)),
  );
}

export function findReferences(place: Place & { includeDeclaration?: boolean | undefined }, context: ToolContext): Promise<ToolResult> {
  const { includeDeclaration = true } = place;
  return askAbout("find references", place.file, context, async (asked) => {
    const params = { ...at(asked, place), context: { includeDeclaration } };
    return referencesText(await asked.session.request(ReferencesRequest.type, params, asked.signal), pathsOf(asked));
  });
}

export function documentSymbols(file: string, context: ToolContext): Promise<ToolResult> {
  return askAbout("document symbols", file, context, async (asked) => {
    const params = { textDocument: { uri: asked.document.uri } };
    return documentSymbolsText(await asked.session.request(DocumentSymbolRequest.type, params, asked.signal), pathsOf(asked));
  });
}

export function workspaceSymbols({ query, file }: { query: string; file: string }, context: ToolContext): Promise<ToolResult> {
  return askAround("workspace symbols", file, context, async (asked) =>
    workspaceSymbolsText(query, await asked.session.request(WorkspaceSymbolRequest.type, { query }, asked.signal), pathsOf(asked)),
  );
}

export function diagnostics({ file, severity }: { file: string; severity?: Severity | undefined }, context: ToolContext): Promise<ToolResult> {
  return askAbout("diagnostics", file, context, async ({ session, document, signal }) => {
    const { text, checked } = diagnosisText(file, await session.diagnose(document, silenceMs(), signal), severity);
    return checked ? text : fail(text);
  });
}

export function prepareRename(place: Place, context: ToolContext): Promise<ToolResult> {
  return askAbout("prepare rename", place.file, context, async (asked) => {
    const { capabilities } = asked.session;
    // A server may offer renaming without checking first; then the word at the position is what would be renamed.
    if (capabilities.renameProvider === true) return prepareRenameText({ defaultBehavior: true }, asked.document.text, positionOf(place));
    try {
      const result = await asked.session.request(PrepareRenameRequest.type, at(asked, place), asked.signal);
      return prepareRenameText(result, asked.document.text, positionOf(place));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return `${CANNOT_RENAME}: ${cut(error.refusal.words)}`;
    }
  });
}

export function rename({ newName, ...place }: Place & { newName: string }, context: ToolContext): Promise<ToolResult> {
  return askAbout("rename", place.file, context, async (asked) =>
    renameText(newName, await asked.session.request(RenameRequest.type, { ...at(asked, place), newName }, asked.signal), pathsOf(asked)),
  );
}

function at({ document }: Asked, place: Place): TextDocumentPositionParams {
  return { textDocument: { uri: document.uri }, position: positionOf(place) };
}

function positionOf({ line, character }: Place): Position {
  return { line: line - 1, character };
}

function pathsOf({ session }: Pick<Asked, "session">): (uri: string) => string {
  return (uri) => session.pathOf(uri);
}
