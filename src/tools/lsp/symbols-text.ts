/** Symbols of a document, as a tree or as a flat list, and symbols of a workspace. */
import type { DocumentSymbol, SymbolInformation, WorkspaceSymbol } from "vscode-languageserver-protocol";
import { cut } from "../../lib/cut.js";
import { fittedText } from "./fitted.js";
import { type PathOf, shownLocation, shownRange } from "./ranges.js";

/** The names of symbol kinds 1 to 26. */
const KINDS = [
  "File", "Module", "Namespace", "Package", "Class", "Method", "Property", "Field", "Constructor", "Enum", "Interface", "Function", "Variable",
  "Constant", "String", "Number", "Boolean", "Array", "Object", "Key", "Null", "EnumMember", "Struct", "Event", "Operator", "TypeParameter",
];

/** Deeper symbols are not shown. */
const MAX_DEPTH = 50;

export type DocumentSymbols = readonly (DocumentSymbol | SymbolInformation)[] | null | undefined;
export type WorkspaceSymbols = readonly (WorkspaceSymbol | SymbolInformation)[] | null | undefined;

export function documentSymbolsText(symbols: DocumentSymbols, pathOf: PathOf): string {
  const lines: string[] = [];
  for (const symbol of symbols ?? []) {
    if ("location" in symbol) lines.push(`${named(symbol)} [${shownLocation(symbol.location, pathOf)}]`);
    else addTree(symbol, lines);
  }
  return lines.length === 0 ? "No symbols found" : fittedText(lines, "\n", "symbol");
}

export function workspaceSymbolsText(query: string, symbols: WorkspaceSymbols, pathOf: PathOf): string {
  const found = symbols ?? [];
  if (found.length === 0) return `No symbols found matching: ${cut(query)}`;
  const blocks = found.map((symbol) => `${named(symbol)}\n  ${placeOf(symbol, pathOf)}`);
  return `Found ${found.length} symbol(s) matching "${cut(query)}":\n\n${fittedText(blocks, "\n\n", "symbol")}`;
}

/** A line for the symbol and, each level two spaces further in, for its children in their order. */
function addTree(root: DocumentSymbol, lines: string[]): void {
  const due = [{ symbol: root, depth: 0 }];
  for (let next = due.pop(); next !== undefined; next = due.pop()) {
    const { symbol, depth } = next;
    lines.push(`${"  ".repeat(depth)}${kindName(symbol.kind)}: ${cut(symbol.name)} [${shownRange(symbol.range)}]`);
    if (depth === MAX_DEPTH) continue;
    for (const child of (symbol.children ?? []).toReversed()) due.push({ symbol: child, depth: depth + 1 });
  }
}

function named({ kind, name, containerName }: WorkspaceSymbol | SymbolInformation): string {
  return `${kindName(kind)}: ${cut(name)}${containerName ? ` (in ${cut(containerName)})` : ""}`;
}

/** Some servers give only the file, and the range when they are asked again. */
function placeOf({ location }: WorkspaceSymbol | SymbolInformation, pathOf: PathOf): string {
  return "range" in location ? shownLocation(location, pathOf) : pathOf(location.uri);
}

function kindName(kind: number): string {
  return KINDS[kind - 1] ?? "Unknown";
}
