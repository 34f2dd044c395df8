import { describe, expect, it } from "vitest";
import type { PrepareRenameResult } from "vscode-languageserver-protocol";
import { invalidIndexText, offersText, offerText } from "./code-actions-text.js";
import { prepareRenameText, renameText, wordAt } from "./rename-text.js";

const range = { start: { line: 1, character: 4 }, end: { line: 1, character: 9 } };
const pathOf = (uri: string) => uri.replace("file://", "");
const TEXT = "one\nlet größe$ = (x)\r\nlast";

describe("preparing a rename", () => {
  it.each<{ name: string; result: PrepareRenameResult | null; expected: string; at?: { line: number; character: number } }>([
    { name: "null", result: null, expected: "Cannot rename symbol at this position" },
    { name: "a range", result: range, expected: "Rename possible. Range: line 2, col 5 to line 2, col 10" },
    { name: "a range and a name", result: { range, placeholder: "größe" }, expected: "Rename possible. Range: line 2, col 5 to line 2, col 10; present name: größe" },
    { name: "leave, on a word", result: { defaultBehavior: true }, expected: "Rename possible. Range: line 2, col 5 to line 2, col 11; present name: größe$" },
    { name: "leave, not on a word", result: { defaultBehavior: true }, at: { line: 1, character: 12 }, expected: "Cannot rename symbol at this position" },
    { name: "leave, behind the text", result: { defaultBehavior: true }, at: { line: 99, character: 0 }, expected: "Cannot rename symbol at this position" },
    { name: "no leave", result: { defaultBehavior: false }, expected: "Cannot rename symbol at this position" },
  ])("$name", ({ result, expected, at = { line: 1, character: 6 } }) => {
    expect(prepareRenameText(result, TEXT, at)).toBe(expected);
  });

  it("finds the word that a caret touches", () => {
    expect(wordAt(TEXT, { line: 1, character: 10 })?.name).toBe("größe$");
    expect(wordAt(TEXT, { line: 2, character: 0 })?.name).toBe("last");
    expect(wordAt(TEXT, { line: 1, character: 15 })?.name).toBe("x");
  });
});

describe("a rename", () => {
  it("is listed, and said not to be written", () => {
    const text = renameText("plus", { changes: { "file:///srv/x/a.ts": [{ range, newText: "plus" }] } }, pathOf);
    expect(text).toBe(
      'Rename to "plus" would affect 1 file(s) with 1 edit(s):\n\nFile: /srv/x/a.ts\n  2:5-2:10: "plus"\n\n' +
        "Nothing was written: apply these edits yourself, in each file from the last to the first.",
    );
  });

  it.each([null, undefined, {}, { changes: {} }, { documentChanges: [] }])("of %j says that there is none", (edit) => {
    expect(renameText("plus", edit, pathOf)).toBe("Rename failed or no edits returned");
  });
});

describe("code actions", () => {
  const edit = { changes: { "file:///srv/x/a.ts": [{ range, newText: "a\nb" }] } };

  it("are numbered", () => {
    const offers = [{ title: "Fix", kind: "quickfix", isPreferred: true }, { title: "Plain" }, { title: "Sort", command: "do.sort" }];
    expect(offersText(offers)).toBe("1. Fix [quickfix] (preferred)\n2. Plain\n3. Sort");
    expect(offersText([])).toBe("No code actions available");
  });

  it.each([
    {
      name: "an action with edits",
      offer: { title: "Fix", kind: "quickfix", isPreferred: true, edit },
      expected: ["Action: Fix", "Kind: quickfix", "(Preferred)", "Edits:", "File: /srv/x/a.ts", '  2:5-2:10: "a\\nb"', /^Nothing was written/],
    },
    { name: "a bare command", offer: { title: "Sort", command: "do.sort" }, expected: ["Action: Sort", "Command: Sort (do.sort)", /not run\.$/] },
    { name: "a command that is its own title", offer: { title: "go", command: "go" }, expected: ["Action: go", "Command: go", /not run\.$/] },
    {
      name: "an action with a command without title",
      offer: { title: "Go", command: { title: "", command: "do.go" } },
      expected: ["Action: Go", "Command: do.go", /not run\.$/],
    },
    { name: "an action with nothing", offer: { title: "Nothing" }, expected: ["Action: Nothing", /has no edits/] },
    { name: "an action that could not be resolved", offer: { title: "Late" }, trouble: "broken", expected: ["Action: Late", /could not say the edits: broken/] },
  ])("$name", ({ offer, trouble, expected }) => {
    const lines = offerText(offer, pathOf, trouble).split("\n");
    expect(lines).toHaveLength(expected.length);
    for (const [index, line] of expected.entries()) {
      if (typeof line === "string") expect(lines[index]).toBe(line);
      else expect(lines[index]).toMatch(line);
    }
  });

  it("say which numbers there are", () => {
    expect(invalidIndexText(9, 3)).toBe("Invalid action index 9: expected 1 to 3");
    expect(invalidIndexText(1, 0)).toMatch(/^Invalid action index 1: no code actions/);
  });
});
