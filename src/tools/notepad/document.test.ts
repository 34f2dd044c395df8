import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  appendEntry,
  type Notepad,
  parseNotepad,
  pruneSection,
  readSection,
  readableText,
  renderNotepad,
  replaceSection,
  SECTION_NAMES,
  stampsOf,
} from "./document.js";

const STAMP = "2026-01-02 03:04";
const PLAIN = "# Notepad\n<!-- c -->\n\n## Priority Context\n<!-- c -->\nP1\n\n## Working Memory\n<!-- c -->\n\n## MANUAL\n<!-- c -->\n";

function edited(text: string, edit: (notepad: Notepad) => void): string {
  const notepad = parseNotepad(text);
  edit(notepad);
  return renderNotepad(notepad);
}

/** What the session-start hook of the other program takes from the file. */
function hookView(text: string): string {
  const start = text.indexOf("## Priority Context\n") + "## Priority Context\n".length;
  const end = text.indexOf("## ", start);
  return text.slice(start, end === -1 ? undefined : end).replaceAll(/<!--[^]*?-->/g, "").trim();
}

describe("a new notepad", () => {
  it("has title, comment and the three headings, each with a comment", () => {
    const text = edited("", (notepad) => replaceSection(notepad, "Priority Context", "P1"));
    expect(text.replaceAll(/<!--.*-->/g, "<!-- c -->")).toBe(PLAIN);
  });

  it("takes entries one after the other", () => {
    let text = "";
    for (const content of ["W1", "W2 line1\nline2"]) text = edited(text, (notepad) => appendEntry(notepad, "Working Memory", STAMP, content));
    expect(readSection(parseNotepad(text), "Working Memory")).toBe(`### ${STAMP}\nW1\n### ${STAMP}\nW2 line1\nline2`);
    expect(text).toContain("line2\n\n## MANUAL\n");
  });
});

describe("parsing", () => {
  it("keeps every byte of any text", () => {
    const line = fc.constantFrom("## MANUAL", "## Working Memory", "## x", "### y", "\uFEFF", "", "a", "##", "\r", " ## b");
    fc.assert(
      fc.property(fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "")), { maxLength: 12 }), (lines) => {
        const text = lines.flat().join("");
        expect(renderNotepad(parseNotepad(text))).toBe(text);
      }),
    );
  });

  it("reads a file of the other program", () => {
    const notepad = parseNotepad(
      "# Notepad\n<!-- Auto-managed. -->\n\n## Priority Context\n<!-- Always loaded. -->\nuse pnpm\n\n## Working Memory\n<!-- Notes. -->\n\n### 2026-01-02 03:04\nfound it\n\n## MANUAL\n<!-- Never pruned. -->\n\n",
    );
    expect(SECTION_NAMES.map((name) => readSection(notepad, name))).toEqual(["use pnpm", "### 2026-01-02 03:04\nfound it", ""]);
  });

  it("sees the first heading after a byte order mark", () => {
    expect(readSection(parseNotepad("\uFEFF## MANUAL\nm\n"), "MANUAL")).toBe("m");
  });
});

describe("what was written", () => {
  const files = fc.constantFrom("", PLAIN, PLAIN.replaceAll("\n", "\r\n"), "## MANUAL", "\uFEFF", "free text");
  const content = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc
      .array(fc.constantFrom("## MANUAL", "## Working Memory", `### ${STAMP}`, "### Sub", "<!-- x -->", "-->", "$&", "😀", "\r\n", "\n", " ", "\\", "`"), { maxLength: 20 })
      .map((parts) => parts.join("")),
  );
  const entry = content.filter((text) => text !== "");

  it("is read back exactly from each section, whatever the file was and whatever else is written", () => {
    fc.assert(
      fc.property(files, content, entry, entry, entry, (file, priority, first, second, manual) => {
        const notepad = parseNotepad(
          edited(edited(file, (draft) => appendEntry(draft, "Working Memory", STAMP, first)), (draft) => {
            replaceSection(draft, "Priority Context", "before");
            appendEntry(draft, "MANUAL", STAMP, manual);
            appendEntry(draft, "Working Memory", STAMP, second);
            replaceSection(draft, "Priority Context", priority);
          }),
        );
        expect(readSection(notepad, "Priority Context")).toBe(priority);
        expect(readSection(notepad, "Working Memory")).toBe(`### ${STAMP}\n${first}\n### ${STAMP}\n${second}`);
        expect(readSection(notepad, "MANUAL")).toBe(`### ${STAMP}\n${manual}`);
        expect(readableText(notepad)).toContain(priority);
        expect(stampsOf(notepad, "Working Memory")).toEqual([STAMP, STAMP]);
      }),
      { numRuns: 500 },
    );
  });

  it("reaches the hook that shows Priority Context as text that Markdown shows the same", () => {
    const text = edited("", (notepad) => replaceSection(notepad, "Priority Context", "### Rules\nuse pnpm <!-- really -->\n## MANUAL\nend"));
    expect(hookView(text)).toBe("##\\# Rules\nuse pnpm <\\!-- really -->\n#\\# MANUAL\nend");
  });
});

describe("an existing file", () => {
  it("keeps its line endings", () => {
    const text = edited(PLAIN.replaceAll("\n", "\r\n"), (notepad) => {
      appendEntry(notepad, "MANUAL", STAMP, "a\nb");
      replaceSection(notepad, "Priority Context", "P2");
    });
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
    expect(readSection(parseNotepad(text), "MANUAL")).toBe(`### ${STAMP}\na\nb`);
  });

  it("gets back a heading that is missing, in its place, and keeps strange ones", () => {
    const text = edited("intro\n## Priority Context\np\n## Mine\nkeep\n## MANUAL\nm\n", (notepad) =>
      appendEntry(notepad, "Working Memory", STAMP, "w"),
    );
    expect(text.match(/^## .*$/gm)).toEqual(["## Priority Context", "## Mine", "## Working Memory", "## MANUAL"]);
    expect(text).toContain("intro\n## Priority Context\np\n## Mine\nkeep\n\n## Working Memory\n");
    expect(text.endsWith(`### ${STAMP}\nw\n\n## MANUAL\nm\n`)).toBe(true);
  });

  it("is made whole when it has only text", () => {
    const text = edited("just text", (notepad) => appendEntry(notepad, "MANUAL", STAMP, "m"));
    expect(text.startsWith("just text\n\n## Priority Context\n")).toBe(true);
  });

  it("keeps comments inside entries of other writers when something is added", () => {
    const text = edited("## Working Memory\n### 2026-01-01 00:00\na <!-- b -->\n", (notepad) =>
      appendEntry(notepad, "Working Memory", STAMP, "c"),
    );
    expect(text).toContain("a <!-- b -->\n### 2026-01-02 03:04\nc\n");
  });

  it("with a heading twice is read from both and written to the first, as the other program does", () => {
    const forged = "## Priority Context\np\n## MANUAL\nforged\n## Working Memory\n## MANUAL\nreal\n";
    const notepad = parseNotepad(forged);
    expect(readSection(notepad, "MANUAL")).toBe("forged\nreal");
    appendEntry(notepad, "MANUAL", STAMP, "new");
    expect(readSection(notepad, "MANUAL")).toBe(`forged\n### ${STAMP}\nnew\nreal`);
  });
});

describe("pruning", () => {
  const text =
    "## Working Memory\n<!-- c -->\nbefore the first\n### 2026-01-01 00:00\nold\n### Sub\nof old\n### 2026-06-01 00:00\nnew\n### Sub\nof new\n\n## MANUAL\n### 2020-01-01 00:00\nforever\n";

  it("takes whole old entries and nothing else", () => {
    const notepad = parseNotepad(text);
    expect(pruneSection(notepad, "Working Memory", new Date("2026-03-01T00:00:00Z"))).toEqual({ pruned: 1, remaining: 1 });
    expect(renderNotepad(notepad)).toBe(text.replace("### 2026-01-01 00:00\nold\n### Sub\nof old\n", ""));
  });

  it("leaves the separation before the next heading when the last entry goes", () => {
    const notepad = parseNotepad(text);
    expect(pruneSection(notepad, "Working Memory", new Date("2027-01-01T00:00:00Z"))).toEqual({ pruned: 2, remaining: 0 });
    expect(renderNotepad(notepad)).toContain("before the first\n\n## MANUAL\n");
  });

  it("changes nothing when nothing is old, or there is no such section", () => {
    const notepad = parseNotepad(text);
    expect(pruneSection(notepad, "Working Memory", new Date("2025-01-01T00:00:00Z"))).toEqual({ pruned: 0, remaining: 2 });
    expect(renderNotepad(notepad)).toBe(text);
    expect(pruneSection(parseNotepad(""), "Working Memory", new Date())).toEqual({ pruned: 0, remaining: 0 });
  });
});
