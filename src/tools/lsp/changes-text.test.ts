import { describe, expect, it } from "vitest";
import type { WorkspaceEdit } from "vscode-languageserver-protocol";
import { changesText } from "./changes-text.js";
import { counted, fileChanges } from "./file-changes.js";

const pathOf = (uri: string) => uri.replace("file://", "");
const at = (line: number, from: number, to: number) => ({ start: { line, character: from }, end: { line, character: to } });
const document = (uri: string) => ({ uri, version: null });
const A = "file:///srv/x/a.ts";
const B = "file:///srv/x/b.ts";

const listed = (edit: WorkspaceEdit | null) => changesText(fileChanges(edit, pathOf));

describe("the listing of a workspace edit", () => {
  it.each<{ name: string; edit: WorkspaceEdit; expected: string[] }>([
    {
      name: "changes",
      edit: { changes: { [A]: [{ range: at(1, 16, 21), newText: "plus" }], [B]: [{ range: at(0, 0, 0), newText: "" }] } },
      expected: ["File: /srv/x/a.ts", '  2:17-2:22: "plus"', "File: /srv/x/b.ts", '  1:1: ""'],
    },
    {
      name: "text of several lines, quotes and tabs, whole",
      edit: { changes: { [A]: [{ range: at(0, 0, 0), newText: `import { b } from "./b";\r\n\tx${"y".repeat(60)}` }] } },
      expected: ["File: /srv/x/a.ts", `  1:1: "import { b } from \\"./b\\";\\r\\n\\tx${"y".repeat(60)}"`],
    },
    {
      name: "documentChanges with all file operations, in their order",
      edit: {
        documentChanges: [
          { kind: "create", uri: B, options: { overwrite: true, ignoreIfExists: true } },
          { textDocument: document(B), edits: [{ range: at(0, 0, 0), newText: "x" }] },
          { kind: "rename", oldUri: A, newUri: "file:///srv/x/c.ts", options: { ignoreIfExists: true } },
          { kind: "delete", uri: "file:///srv/x/old", options: { recursive: true, ignoreIfNotExists: true } },
        ],
      },
      expected: [
        "Create file: /srv/x/b.ts (overwrite)",
        "File: /srv/x/b.ts",
        '  1:1: "x"',
        "Rename file: /srv/x/a.ts -> /srv/x/c.ts (only if it does not exist)",
        "Delete file: /srv/x/old (with all that is in it; if it exists)",
      ],
    },
    {
      name: "annotated edits and snippets",
      edit: {
        changeAnnotations: { a1: { label: "Rename in comment", needsConfirmation: true, description: "may\nbe wrong" } },
        documentChanges: [
          {
            textDocument: document(A),
            edits: [
              { range: at(1, 0, 4), newText: "plus", annotationId: "a1" },
              { range: at(2, 0, 0), snippet: { kind: "snippet", value: "f($0)" }, annotationId: "unknown" },
            ],
          },
        ],
      },
      expected: ["File: /srv/x/a.ts", '  2:1-2:5: "plus" (needs confirmation: Rename in comment: may be wrong)', '  3:1: "f($0)" (a snippet; unknown)'],
    },
    {
      name: "both forms: no file twice",
      edit: {
        documentChanges: [{ textDocument: document(A), edits: [{ range: at(0, 0, 1), newText: "n" }] }],
        changes: { [A]: [{ range: at(0, 0, 1), newText: "n" }], [B]: [{ range: at(0, 2, 3), newText: "n" }] },
      },
      expected: ["File: /srv/x/a.ts", '  1:1-1:2: "n"', "File: /srv/x/b.ts", '  1:3-1:4: "n"'],
    },
    { name: "nothing to do", edit: { changes: { [A]: [] }, documentChanges: [] }, expected: [""] },
  ])("$name", ({ edit, expected }) => {
    expect(listed(edit)).toBe(expected.join("\n"));
  });

  it("says that it is not complete when it is too long, and cuts no text", () => {
    const edits = Array.from({ length: 30 }, (_, line) => ({ range: at(line, 0, 1), newText: "z".repeat(10) }));
    const text = changesText(fileChanges({ changes: { [A]: edits } }, pathOf), 200);
    expect(text).toMatch(/\n\.\.\. and 23 more lines left out, because the answer would be too long: this list is NOT COMPLETE$/);
    for (const line of text.split("\n").filter((each) => each.startsWith("  "))) expect(line).toMatch(/"z{10}"$/);
    expect(changesText(fileChanges({ changes: { [A]: [{ range: at(0, 0, 0), newText: "q".repeat(300_000) }] } }, pathOf))).toMatch(/NOT COMPLETE$/);
  });
});

describe("the count", () => {
  it("takes each file once, a renamed one too", () => {
    const changes = fileChanges(
      {
        documentChanges: [
          { textDocument: document(A), edits: [{ range: at(0, 0, 1), newText: "n" }, { range: at(1, 0, 1), newText: "n" }] },
          { kind: "rename", oldUri: A, newUri: B },
          { textDocument: document(B), edits: [{ range: at(2, 0, 1), newText: "n" }] },
        ],
      },
      pathOf,
    );
    expect(counted(changes)).toEqual({ files: 1, edits: 3 });
    expect(counted(fileChanges(null, pathOf))).toEqual({ files: 0, edits: 0 });
  });
});
