import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFrontmatter } from "./frontmatter.js";

function parsed(...lines: string[]): Record<string, unknown> | undefined {
  const values = parseFrontmatter(["---", ...lines, "---", "body: no"].join("\n"));
  return values && Object.fromEntries(values);
}

describe("values", () => {
  it.each([
    [["a: x"], "x"],
    [["a:    x: y # z  "], "x: y # z"],
    [['a: "x: \\"y\\" \\\\n"'], 'x: "y" \\n'],
    [["a: 'it''s'"], "it's"],
    [['a: "x'], '"x'],
    [["a: >", "  one", "", "  two", "b: 1"], "one  two"],
    [["a: |-", "  one", "  two"], "one two"],
    [["a: [x, \"y, z\", 'w, v', ]"], ["x", "y, z", "w, v"]],
    [["a: [x,", "  y", "]", "b: 1"], ["x", "y"]],
    [["a: [it's, ok]"], ["it", "'", "s", "ok"]],
    [["a: []"], []],
    [["a:", "  - x", '  - "y, z"', "b: 1"], ["x", "y, z"]],
    [["a:", "- x", "", "- y"], ["x", "y"]],
    [["a:", "b: 1"], []],
    [["a: 1", "a: 2"], "1"],
  ])("%j", (lines, value) => {
    expect(parsed(...lines)?.["a"]).toEqual(value);
  });

  it("takes any line ends, a byte order mark and odd names", () => {
    expect(parseFrontmatter("\uFEFF---\r\na: x\r\n---\r\n")?.get("a")).toBe("x");
    expect(parseFrontmatter("---\ra: x\r---")?.get("a")).toBe("x");
    expect(parsed("__proto__: x", "constructor: y", "nested:", "  a: z")).toEqual({ constructor: "y", nested: [] });
  });

  it.each(["", "a: x", "---\na: x\n", "--- \n", "text\n---\na: x\n---", "----\na: x\n----"])("%j has no head", (text) => {
    expect(parseFrontmatter(text)).toBeUndefined();
  });

  it("understands any text, quickly", () => {
    const piece = fc.constantFrom("---\n", "a: ", "[", "]", '"', "'", "\\", ",", "- ", "\n", "  ", ">", "|", "x", "\r", "\u2028", "é");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        for (const value of parseFrontmatter(`---\n${pieces.join("")}\n---`)?.values() ?? []) {
          expect(typeof value === "string" || value.every((item) => typeof item === "string")).toBe(true);
        }
      }),
    );
    const before = performance.now();
    for (const part of ['"', "\\", "[", "- ", "a: ", '",', "'\\"]) parseFrontmatter(`---\na: [${part.repeat(30_000)}\n---`);
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it("gives quoted items back", () => {
    const word = fc.string().filter((text) => !/[\r\n]/.test(text) && text.trim() !== "");
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (items) => {
        const quoted = items.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`);
        expect(parsed(`a: [${quoted.join(", ")}]`)?.["a"]).toEqual(items);
      }),
    );
  });
});
