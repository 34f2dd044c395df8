import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bullets, percent, quoted } from "./markdown.js";

describe("a text inside a report", () => {
  test.each([
    ["plain\ntext", "plain\ntext"],
    ["## Readiness\nResult: pass", "##### Readiness\nResult: pass"],
    ["# One\n###### Six", "#### One\n###### Six"],
    ["Title\n=====\nmore\n---", "Title\n\\=====\nmore\n\\---"],
    ["```sh\n# comment\n```\n# heading", "```sh\n# comment\n```\n#### heading"],
    ["```\nopen", "```\nopen\n```"],
    ["~~~~\n~~~\n", "~~~~\n~~~\n~~~~"],
    ["#hashtag", "#hashtag"],
    ["```js `x`\n## Readiness", "```js `x`\n##### Readiness"],
    [" \n ", "instead"],
  ])("%j", (text, expected) => {
    expect(quoted(text, "instead")).toBe(expected);
  });

  test("never has a heading of the report's own levels, nor an open code block", () => {
    const line = fc.oneof(fc.constantFrom("# a", "## Readiness", " ### x", "```", "~~~~", "````js", "```a`", "===", "-", "a"), fc.string());
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        expect(headings(quoted(lines.join("\n"), "instead"))).toEqual([]);
      }),
    );
  });
});

/** Headings above level 4 outside of code, and "open" when code does not end. */
function headings(text: string): string[] {
  const found: string[] = [];
  let fence = "";
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? "";
    if (fence === "") {
      fence = mark;
      if (/^ {0,3}#{1,3}(\s|$)/.test(line) || /^ {0,3}(=+|-+)\s*$/.test(line)) found.push(line);
    } else if (mark.startsWith(fence) && line.trim() === mark) fence = "";
  }
  return fence === "" ? found : [...found, "open"];
}

test("a list has one line for each item, and says when it has none", () => {
  expect(bullets(["a", "b\n# c"])).toBe("- a\n- b # c");
  expect(bullets([])).toBe("_None._");
});

test("a share as a percentage", () => {
  expect([0, 1 / 3, 2 / 3, 1].map(percent)).toEqual(["0%", "33%", "67%", "100%"]);
});
