import { expect, it } from "vitest";
import type { Language } from "../../ast/languages.js";
import { notCode, tip } from "./advice.js";

it.each<[Language, string, string]>([
  ["python", "def $F($$$A)", "def $F($$$A): $$$BODY"],
  ["python", "def $F(a: int = 1):", "def $F(a: int = 1): $$$BODY"],
  ["python", "class $X", "class $X: $$$BODY"],
  ["python", "for $X in $Y", "for $X in $Y: $$$BODY"],
  ["ruby", "def $F($$$A)", "def $F($$$A) $$$BODY end"],
  ["ruby", "for $X in $Y", "for $X in $Y $$$BODY end"],
  ["typescript", "function $F({ a }: T): Promise<$R>", "function $F({ a }: T): Promise<$R> { $$$BODY }"],
  ["typescript", "export class $X", "export class $X { $$$BODY }"],
  ["typescript", "for (const $X of $Y)", "for (const $X of $Y) { $$$BODY }"],
  ["go", "for $X := range $Y", "for $X := range $Y { $$$BODY }"],
  ["rust", "fn $F($$$A) -> $R", "fn $F($$$A) -> $R { $$$BODY }"],
  ["java", "public static int $F($$$A)", "public static int $F($$$A) { $$$BODY }"],
])("%s: %s gets a body", (language, pattern, whole) => {
  expect(tip(pattern, language)).toBe(`Tip: a definition or a block needs its body: ${whole}`);
  expect(notCode(pattern, language)).toMatch(/\nA definition or a block needs its body: /);
});

it.each<[Language, string]>([
  ["python", "class $X: $$$B"],
  ["python", "def $F($$$A): $$$B"],
  ["python", "lambda $X: $Y"],
  ["python", "async def $F($$$A) -> $R: $$$B"],
  ["ruby", "class A $$$B end"],
  ["typescript", "if ($A) go()"],
  ["typescript", "function $F($$$A) { $$$B }"],
  ["typescript", "const $F = function ($A) { $$$B }"],
  ["kotlin", "fun $F() = $G()"],
  ["css", "class"],
  ["json", '"class"'],
])("%s: %s gets none", (language, pattern) => {
  expect(tip(pattern, language)).not.toContain("needs its body");
  expect(notCode(pattern, language)).not.toContain("needs its body");
});

it("a return type is part of a function", () => {
  expect(tip("def $F($$$A): $$$B", "python")).toContain(" With a return type: def $F($$$A) -> $R: $$$B");
  expect(tip("async function $F($$$A) { $$$B }", "typescript")).toContain(" With a return type: async function $F($$$A): $R { $$$B }");
  expect(tip("def $F($$$A) -> $R: $$$B", "python")).not.toContain("return type");
});

it("says what a language wants, without braces where it has none", () => {
  expect(notCode("class $X", "ruby")).toContain("In Ruby a variable cannot name a class; write its name: class Name $$$BODY end");
  for (const language of ["python", "ruby", "css", "json", "yaml", "html"] as const) expect(tip("x", language) + notCode("(", language)).not.toMatch(/[{}]|semicolons/);
});

it("is quick with hostile text", () => {
  const before = performance.now();
  for (const part of ["(", "()", "public ", "a ", ": ", "def ", "function "]) {
    for (const language of ["python", "typescript"] as const) tip(part.repeat(100_000 / part.length), language);
  }
  expect(performance.now() - before).toBeLessThan(5_000);
});
