import { describe, expect, it } from "vitest";
import type { DocumentSymbol } from "vscode-languageserver-protocol";
import { hoverText } from "./hover-text.js";
import { type DocumentSymbols, documentSymbolsText, workspaceSymbolsText, type WorkspaceSymbols } from "./symbols-text.js";

const range = { start: { line: 1, character: 0 }, end: { line: 3, character: 1 } };
const selectionRange = { start: { line: 1, character: 9 }, end: { line: 1, character: 12 } };
const pathOf = (uri: string) => uri.replace("file://", "");
const location = { uri: "file:///srv/x/a.ts", range };

describe("document symbols", () => {
  it.each<{ name: string; symbols: DocumentSymbols; expected: string }>([
    { name: "null", symbols: null, expected: "No symbols found" },
    { name: "none", symbols: [], expected: "No symbols found" },
    {
      name: "a tree",
      symbols: [
        { name: "add", kind: 12, range, selectionRange },
        { name: "Box", kind: 5, range, selectionRange, children: [{ name: "get", kind: 6, range, selectionRange }, { name: "set", kind: 6, range, selectionRange }] },
      ],
      expected: "Function: add [2:1-4:2]\nClass: Box [2:1-4:2]\n  Method: get [2:1-4:2]\n  Method: set [2:1-4:2]",
    },
    {
      name: "a flat list",
      symbols: [
        { name: "get", kind: 6, location, containerName: "Box" },
        { name: "T", kind: 26, location },
      ],
      expected: "Method: get (in Box) [/srv/x/a.ts:2:1-4:2]\nTypeParameter: T [/srv/x/a.ts:2:1-4:2]",
    },
    { name: "an unknown kind", symbols: [{ name: "x", kind: 99 as never, range, selectionRange }], expected: "Unknown: x [2:1-4:2]" },
  ])("$name", ({ symbols, expected }) => {
    expect(documentSymbolsText(symbols, pathOf)).toBe(expected);
  });

  it("stops in a bottomless tree", () => {
    const symbol: DocumentSymbol = { name: "s", kind: 12, range, selectionRange, children: [] };
    symbol.children?.push(symbol);
    expect(documentSymbolsText([symbol], pathOf).split("\n")).toHaveLength(51);
  });
});

describe("workspace symbols", () => {
  it.each<{ name: string; symbols: WorkspaceSymbols; expected: string }>([
    { name: "null", symbols: null, expected: "No symbols found matching: ad" },
    {
      name: "with and without a range and a container",
      symbols: [
        { name: "add", kind: 12, location },
        { name: "addAll", kind: 6, location: { uri: location.uri }, containerName: "Box" },
      ],
      expected: 'Found 2 symbol(s) matching "ad":\n\nFunction: add\n  /srv/x/a.ts:2:1-4:2\n\nMethod: addAll (in Box)\n  /srv/x/a.ts',
    },
  ])("$name", ({ symbols, expected }) => {
    expect(workspaceSymbolsText("ad", symbols, pathOf)).toBe(expected);
  });
});

describe("hover", () => {
  it.each([
    { name: "null", hover: null, expected: "No hover information available" },
    { name: "empty", hover: { contents: [] }, expected: "No hover information available" },
    { name: "text", hover: { contents: "one" }, expected: "one" },
    { name: "marked up, with a range", hover: { contents: { kind: "markdown" as const, value: "**one**\n" }, range }, expected: "**one**\n\nRange: 2:1-4:2" },
    { name: "a list of both forms", hover: { contents: ["one", { language: "ts", value: "two" }, ""] }, expected: "one\n\ntwo" },
  ])("$name", ({ hover, expected }) => {
    expect(hoverText(hover)).toBe(expected);
  });

  it("is cut when it is long", () => {
    const text = hoverText({ contents: "x".repeat(300_000) });
    expect(text.length).toBeLessThan(101_000);
    expect(text).toMatch(/… \(200000 more characters\)$/);
  });
});
