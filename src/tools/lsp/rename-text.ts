/** What the two rename tools answer. */
import type { PrepareRenameResult, Position, Range, WorkspaceEdit } from "vscode-languageserver-protocol";
import { cut } from "../../lib/cut.js";
import { changesText } from "./changes-text.js";
import { counted, fileChanges } from "./file-changes.js";
import type { PathOf } from "./ranges.js";

export const CANNOT_RENAME = "Cannot rename symbol at this position";

/**
 * The answer for each form of the result: a range, a range with the present name, leave to rename what the editor takes
 * for the name there, or nothing. `text` is the document, in which that name is looked for.
 */
export function prepareRenameText(result: PrepareRenameResult | null | undefined, text: string, at: Position): string {
  if (!result) return CANNOT_RENAME;
  if ("placeholder" in result) return possible(result.range, result.placeholder);
  if ("start" in result) return possible(result, undefined);
  const word = result.defaultBehavior ? wordAt(text, at) : undefined;
  return word === undefined ? CANNOT_RENAME : possible(word.range, word.name);
}

export function renameText(newName: string, edit: WorkspaceEdit | null | undefined, pathOf: PathOf): string {
  const changes = fileChanges(edit, pathOf);
  if (changes.length === 0) return "Rename failed or no edits returned";
  const { files, edits } = counted(changes);
  return [
    `Rename to "${cut(newName)}" would affect ${files} file(s) with ${edits} edit(s):`,
    "",
    changesText(changes),
    "",
    "Nothing was written: apply these edits yourself, in each file from the last to the first.",
  ].join("\n");
}

function possible({ start, end }: Range, name: string | undefined): string {
  const place = `line ${start.line + 1}, col ${start.character + 1} to line ${end.line + 1}, col ${end.character + 1}`;
  return `Rename possible. Range: ${place}${name === undefined || name === "" ? "" : `; present name: ${cut(name)}`}`;
}

/** The identifier that the position is in or at the end of. */
export function wordAt(text: string, { line, character }: Position): { name: string; range: Range } | undefined {
  const found = text.split(/\r\n|\n|\r/, line + 1)[line] ?? "";
  for (const match of found.matchAll(/[\p{L}\p{N}\p{M}_$]+/gu)) {
    const end = match.index + match[0].length;
    if (match.index > character) return undefined;
    if (end >= character) return { name: match[0], range: { start: { line, character: match.index }, end: { line, character: end } } };
  }
  return undefined;
}
