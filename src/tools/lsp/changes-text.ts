/**
 * Changes to files as the tools list them. The new text is a JSON string, always whole, so that it can be applied as it
 * stands; ranges count from 1 and mean the files as they are before any of the changes:
 *
 *     File: /srv/x/src/a.ts
 *       2:17-2:22: "plus"
 *       1:1: "import { b } from \"./b\";\n"
 *     Rename file: /srv/x/src/a.ts -> /srv/x/src/b.ts
 */
import { cut } from "../../lib/cut.js";
import type { FileChange, ShownEdit } from "./file-changes.js";
import { fitted } from "./fitted.js";
import { MAX_ANSWER } from "./limits.js";

const OPERATIONS = { create: "Create file", delete: "Delete file", rename: "Rename file" } as const;

/** The listing. Where it would be too long, its end says how many lines are missing, and that it must not be applied. */
export function changesText(changes: readonly FileChange[], limit = MAX_ANSWER): string {
  const lines = changes.flatMap(changeLines);
  const { text, left } = fitted(lines, "\n", limit);
  if (left === 0) return text;
  const note = `... and ${left} more line${left === 1 ? "" : "s"} left out, because the answer would be too long: this list is NOT COMPLETE`;
  return text === "" ? note : `${text}\n${note}`;
}

function changeLines(change: FileChange): string[] {
  if (change.kind === "edits") return [`File: ${change.path}`, ...change.edits.map(editLine)];
  const target = change.kind === "rename" ? `${change.path} -> ${change.newPath}` : change.path;
  return [`${OPERATIONS[change.kind]}: ${target}${remarked(change.remarks)}`];
}

function editLine({ range, newText, remarks }: ShownEdit): string {
  return `  ${range}: ${JSON.stringify(newText)}${remarked(remarks)}`;
}

function remarked(remarks: readonly string[]): string {
  return remarks.length === 0 ? "" : ` (${cut(remarks.join("; ").replaceAll(/\s+/g, " "))})`;
}
