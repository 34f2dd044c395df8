import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Landing, readTemplate, render, variablesOf } from "./template.js";

function landing(captures: Record<string, string>, more: Partial<Landing> = {}): Landing {
  return { captured: (name) => captures[name] ?? "", indent: "", lineEnd: "\n", commaMatters: false, ...more };
}

function fill(template: string, captures: Record<string, string>, more?: Partial<Landing>): string {
  return render(readTemplate(template, new Set(Object.keys(captures))), landing(captures, more));
}

test.each([
  ["f($A, $$$REST, $$KIND)", ["A", "REST", "KIND"]],
  ["$_ $_IGNORED $$$", []],
  ["$Name $name ${X} $A1 $A_B $", ["A1", "A_B"]],
])("%s captures %j", (pattern, names) => {
  expect([...variablesOf(pattern)]).toEqual(names);
});

test.each([
  ["$A$B", { A: "1", B: "2" }, "12"],
  ["$A_B $A", { A: "1", A_B: "2" }, "2 1"],
  ["$Abc", { A: "1" }, "1bc"],
  ["$Xyz $x ${a} $", { A: "1" }, "$Xyz $x ${a} $"],
  ["[$A, $$$R]", { A: "1", R: "" }, "[1]"],
  ["[$$$R, $A]", { A: "1", R: "" }, "[1]"],
  ["[$$$R]", { R: "" }, "[]"],
  ["[$A, $$$R, $B]", { A: "1", B: "2", R: "" }, "[1, 2]"],
  ["{ a: 1, $$$R, }", { R: "" }, "{ a: 1, }"],
  ["[$A,\n  $$$R\n]", { A: "1", R: "" }, "[1\n]"],
  ["a\n\nb", {}, "a\n\nb"],
])("%s with %j becomes %s", (template, captures, expected) => {
  expect(fill(template, captures)).toBe(expected);
});

test("$$$ without a name captures nothing, and is no text either", () => {
  expect(() => readTemplate("g($$$)", new Set())).toThrow("the replacement uses $$$ without a name, and the pattern captures nothing");
  expect(readTemplate("$$$$ $$", new Set()).pieces).toEqual([{ text: "$$$$ $$" }]);
});

test("own lines are indented as the match is, captured ones stay", () => {
  expect(fill("if x:\n    $A\n\nelse", { A: "p\n  q" }, { indent: "\t", lineEnd: "\r\n" })).toBe("if x:\r\n\t    p\n  q\r\n\r\n\telse");
});

test("whatever was captured is put in as it is", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, b) => {
      expect(fill("<$A|$B|$A>", { A: a, B: b })).toBe(`<${a}|${b}|${a}>`);
    }),
  );
});

test("a replacement without variables is taken as it is", () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !/\$[A-Z_$]|[\r\n]/.test(text)),
      (text) => {
        expect(fill(text, { A: "1" })).toBe(text);
      },
    ),
  );
});
