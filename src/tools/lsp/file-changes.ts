/**
 * A workspace edit of any form, as a list of changes to files in the order in which they have to be made. Where a server
 * gives both forms, `documentChanges` counts, and of `changes` only the files that the other does not name.
 */
import type {
  AnnotatedTextEdit,
  ChangeAnnotation,
  CreateFile,
  DeleteFile,
  RenameFile,
  SnippetTextEdit,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { type PathOf, shownRange } from "./ranges.js";

/** One replacement of a range by a text, both as they are shown. */
export interface ShownEdit {
  /** 1-based. */
  range: string;
  newText: string;
  /** What else there is to know: that the text is a snippet, that a person should agree. */
  remarks: string[];
}

export type FileChange =
  | { kind: "edits"; path: string; edits: ShownEdit[] }
  | { kind: "create" | "delete"; path: string; remarks: string[] }
  | { kind: "rename"; path: string; newPath: string; remarks: string[] };

type Operation = CreateFile | RenameFile | DeleteFile;
type AnyEdit = TextEdit | AnnotatedTextEdit | SnippetTextEdit;
type Annotations = Record<string, ChangeAnnotation> | undefined;

export function fileChanges(edit: WorkspaceEdit | null | undefined, pathOf: PathOf): FileChange[] {
  const ordered = edit?.documentChanges ?? [];
  const annotations = edit?.changeAnnotations;
  const named = new Set(ordered.flatMap(urisOf));
  const others = Object.entries(edit?.changes ?? {}).filter(([uri]) => !named.has(uri));
  return [
    ...ordered.map((change) => (isOperation(change) ? operation(change, annotations, pathOf) : edits(change.textDocument.uri, change.edits, annotations, pathOf))),
    ...others.map(([uri, list]) => edits(uri, list, annotations, pathOf)),
  ].filter((change) => change.kind !== "edits" || change.edits.length > 0);
}

/** The number of files that the changes touch, and of the replacements of text in them. */
export function counted(changes: readonly FileChange[]): { files: number; edits: number } {
  const paths = new Set(changes.map((change) => change.path));
  for (const change of changes) if (change.kind === "rename") paths.delete(change.newPath);
  const edits = changes.reduce((sum, change) => sum + (change.kind === "edits" ? change.edits.length : 0), 0);
  return { files: paths.size, edits };
}

function isOperation(change: TextDocumentEdit | Operation): change is Operation {
  return "kind" in change;
}

function urisOf(change: TextDocumentEdit | Operation): string[] {
  if (!isOperation(change)) return [change.textDocument.uri];
  return change.kind === "rename" ? [change.oldUri, change.newUri] : [change.uri];
}

function edits(uri: string, list: readonly AnyEdit[], annotations: Annotations, pathOf: PathOf): FileChange {
  const shown = list.map((edit) => {
    const remarks = annotated(edit, annotations);
    if (!("snippet" in edit)) return { range: shownRange(edit.range), newText: edit.newText, remarks };
    return { range: shownRange(edit.range), newText: edit.snippet.value, remarks: ["a snippet", ...remarks] };
  });
  return { kind: "edits", path: pathOf(uri), edits: shown };
}

function operation(change: Operation, annotations: Annotations, pathOf: PathOf): FileChange {
  const remarks = [...optionRemarks(change), ...annotated(change, annotations)];
  if (change.kind === "rename") return { kind: "rename", path: pathOf(change.oldUri), newPath: pathOf(change.newUri), remarks };
  return { kind: change.kind, path: pathOf(change.uri), remarks };
}

function optionRemarks({ kind, options = {} }: Operation): string[] {
  const said = { overwrite: false, ignoreIfExists: false, recursive: false, ignoreIfNotExists: false, ...options };
  // Overwriting wins over ignoring, as the protocol has it.
  if (kind !== "delete") return said.overwrite ? ["overwrite"] : said.ignoreIfExists ? ["only if it does not exist"] : [];
  return [...(said.recursive ? ["with all that is in it"] : []), ...(said.ignoreIfNotExists ? ["if it exists"] : [])];
}

function annotated(change: Operation | AnyEdit, annotations: Annotations): string[] {
  const id = "annotationId" in change ? change.annotationId : undefined;
  if (id === undefined) return [];
  const { label, needsConfirmation, description }: Partial<ChangeAnnotation> =
    annotations !== undefined && Object.hasOwn(annotations, id) ? (annotations[id] ?? {}) : {};
  const words = [label ?? id, description].filter((word) => word !== undefined && word !== "").join(": ");
  return [needsConfirmation ? `needs confirmation: ${words}` : words];
}
