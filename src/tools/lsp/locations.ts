/** What `textDocument/definition` and `textDocument/references` give, in lines. */
import type { Location, LocationLink } from "vscode-languageserver-protocol";
import { fittedText } from "./fitted.js";
import { type PathOf, shownLocation } from "./ranges.js";

export type Definition = Location | readonly (Location | LocationLink)[] | null | undefined;

/** One line a location, each once; of a link the place of the name, not of the whole declaration. */
export function definitionText(definition: Definition, pathOf: PathOf): string {
  const lines = new Set(listOf(definition).map((target) => shownLocation(placeOf(target), pathOf)));
  return lines.size === 0 ? "No locations found" : fittedText([...lines], "\n", "location");
}

export function referencesText(locations: readonly Location[] | null | undefined, pathOf: PathOf): string {
  const lines = (locations ?? []).map((location) => shownLocation(location, pathOf));
  if (lines.length === 0) return "No references found";
  return `Found ${lines.length} reference(s):\n\n${fittedText(lines, "\n", "reference")}`;
}

function listOf(definition: Definition): readonly (Location | LocationLink)[] {
  if (definition === null || definition === undefined) return [];
  return Array.isArray(definition) ? definition : [definition as Location];
}

function placeOf(target: Location | LocationLink): Location {
  if ("uri" in target) return target;
  return { uri: target.targetUri, range: target.targetSelectionRange ?? target.targetRange };
}
