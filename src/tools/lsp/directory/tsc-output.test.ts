import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFinding, TscOutput } from "./tsc-output.js";

function outputOf(text: string): TscOutput {
  const output = new TscOutput();
  for (const line of text.split("\n")) output.add(line);
  return output;
}

describe("a line of tsc", () => {
  it.each([
    { line: "src/a.ts(9,7): error TS2322: Not assignable.", expected: { file: "src/a.ts", line: 9, column: 7, severity: "error", code: 2322, message: "Not assignable." } },
    { line: "src/(group)/p(1).ts(1,2): warning TS6133: Unused: x", expected: { file: "src/(group)/p(1).ts", line: 1, column: 2, severity: "warning", code: 6133, message: "Unused: x" } },
    { line: "error TS18003: No inputs were found.", expected: { file: undefined, line: 0, column: 0, severity: "error", code: 18003, message: "No inputs were found." } },
    { line: "Found 3 errors.", expected: undefined },
    { line: "", expected: undefined },
  ])("$line", ({ line, expected }) => {
    expect(parseFinding(line)).toEqual(expected);
  });

  it("is read back whatever file and message it has", () => {
    const words = fc.string({ minLength: 1 }).map((text) => text.replaceAll(/[\r\n\u2028\u2029]/g, " "));
    const file = words.filter((text) => !text.includes("): "));
    fc.assert(
      fc.property(file, fc.nat(), fc.nat(), fc.nat({ max: 99_999 }), words, (name, line, column, code, message) => {
        expect(parseFinding(`${name}(${line},${column}): error TS${code}: ${message}`)).toEqual({ file: name, line, column, severity: "error", code, message });
      }),
    );
  });
});

describe("the output of tsc", () => {
  it("keeps the further lines of a message", () => {
    const { findings, errors, warnings } = outputOf("a.ts(1,1): error TS2345: Argument.\n  Types differ.\n    Because.\nb.ts(2,2): warning TS1: W\n");
    expect(findings.map(({ message }) => message)).toEqual(["Argument.\n  Types differ.\n    Because.", "W"]);
    expect([errors, warnings]).toEqual([1, 1]);
  });

  it("keeps what is no finding apart", () => {
    const output = outputOf("This is not the tsc command\n  indented\na.ts(1,1): error TS1: x\nnode:internal/crash");
    expect(output.other).toEqual(["This is not the tsc command", "indented", "node:internal/crash"]);
    expect(output.findings).toHaveLength(1);
  });

  it("counts what it does not keep", () => {
    const output = new TscOutput();
    for (let line = 1; line <= 5_000; line++) output.add(`a.ts(${line},1): error TS1: x`);
    expect([output.errors, output.findings.length]).toEqual([5_000, 2_000]);
  });
});
