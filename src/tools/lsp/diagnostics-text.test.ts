import { describe, expect, it } from "vitest";
import type { Diagnostic } from "vscode-languageserver-protocol";
import { diagnosisText, diagnosticEntry, type Severity } from "./diagnostics-text.js";

const range = { start: { line: 8, character: 6 }, end: { line: 8, character: 9 } };
const items = [
  { range, message: "bad type", severity: 1, code: 2322, source: "ts" },
  { range, message: "unused", severity: 4, code: "no-unused" },
  { range, message: "no severity" },
  { range, message: "odd", severity: 3, source: "lint" },
] as Diagnostic[];

describe("an entry", () => {
  it.each([
    { item: items[0], expected: "Error (2322)[ts]: bad type\n  at src/a.ts:9:7-9:10" },
    { item: items[1], expected: "Hint (no-unused): unused\n  at src/a.ts:9:7-9:10" },
    { item: items[2], expected: "Error: no severity\n  at src/a.ts:9:7-9:10" },
    { item: items[3], expected: "Information[lint]: odd\n  at src/a.ts:9:7-9:10" },
    { item: { range, message: { kind: "markdown", value: "`x`" }, severity: 2 } as unknown as Diagnostic, expected: "Warning: `x`\n  at src/a.ts:9:7-9:10" },
  ])("$expected", ({ item, expected }) => {
    expect(diagnosticEntry(item as Diagnostic, "src/a.ts")).toBe(expected);
  });
});

describe("what is known about a file", () => {
  const found = (only?: Severity) => diagnosisText("a.ts", { state: "found", items }, only);

  it("is three-valued", () => {
    expect(found()).toMatchObject({ checked: true, text: expect.stringMatching(/^Found 4 diagnostic\(s\):\n\nError \(2322\)/) });
    expect(diagnosisText("a.ts", { state: "none" })).toEqual({ checked: true, text: "No diagnostics in a.ts" });
    expect(diagnosisText("a.ts", { state: "not-checked", why: "silence" })).toEqual({ checked: false, text: "Not checked: a.ts: silence" });
  });

  it("is filtered by severity, and what has none is an error", () => {
    expect(found("error").text).toMatch(/^Found 2 diagnostic\(s\):[^]*no severity/);
    expect(found("info").text).toMatch(/^Found 1 diagnostic\(s\):\n\nInformation/);
    expect(found("warning")).toEqual({ checked: true, text: "No warning diagnostics in a.ts" });
    expect(diagnosisText("a.ts", { state: "not-checked", why: "x" }, "hint").checked).toBe(false);
  });

  it("is bounded", () => {
    const many = Array.from({ length: 3_000 }, () => ({ range, message: "m".repeat(10_000) }));
    const { text } = diagnosisText("a.ts", { state: "found", items: many });
    expect(text.length).toBeLessThan(110_000);
    expect(text).toMatch(/more diagnostics \(the answer would be too long\)$/);
  });
});
