/** Code actions as the two tools show them: as a numbered list, and one of them whole. */
import type { CodeAction, Command } from "vscode-languageserver-protocol";
import { cut } from "../../lib/cut.js";
import { changesText } from "./changes-text.js";
import { fileChanges } from "./file-changes.js";
import { fittedText } from "./fitted.js";
import type { PathOf } from "./ranges.js";

/** Servers may offer a bare command in place of an action. */
export type Offer = CodeAction | Command;

export function offersText(offers: readonly Offer[]): string {
  if (offers.length === 0) return "No code actions available";
  return fittedText(offers.map((offer, index) => `${index + 1}. ${offerLine(offer)}`), "\n", "action");
}

/** The whole of one offer. `trouble` says why its edits could not be had. */
export function offerText(offer: Offer, pathOf: PathOf, trouble?: string): string {
  if (isCommand(offer)) return [`Action: ${cut(offer.title)}`, ...commandLines(offer)].join("\n");
  const { title, kind, isPreferred, edit, command } = offer;
  const changes = fileChanges(edit, pathOf);
  const lines = [`Action: ${cut(title)}`];
  if (kind) lines.push(`Kind: ${cut(kind)}`);
  if (isPreferred) lines.push("(Preferred)");
  if (changes.length > 0) lines.push("Edits:", changesText(changes), "Nothing was written: apply these edits yourself, in each file from the last to the first.");
  if (command) lines.push(...commandLines(command));
  if (trouble !== undefined) lines.push(`The server could not say the edits: ${trouble}`);
  else if (changes.length === 0 && !command) lines.push("This action has no edits.");
  return lines.join("\n");
}

export function invalidIndexText(index: number, count: number): string {
  if (count === 0) return `Invalid action index ${index}: no code actions are available for this range`;
  return `Invalid action index ${index}: expected 1 to ${count}`;
}

export function isCommand(offer: Offer): offer is Command {
  return typeof offer.command === "string";
}

function offerLine(offer: Offer): string {
  if (isCommand(offer)) return cut(offer.title);
  const { title, kind, isPreferred } = offer;
  return `${cut(title)}${kind ? ` [${cut(kind)}]` : ""}${isPreferred ? " (preferred)" : ""}`;
}

function commandLines({ title, command }: Command): string[] {
  const named = title === "" || title === command ? "" : `${cut(title)} `;
  return [`Command: ${named === "" ? cut(command) : `${named}(${cut(command)})`}`, "The command would run in the language server; it was not run."];
}
