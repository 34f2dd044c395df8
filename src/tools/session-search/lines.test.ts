/** The lines of files of all sizes are found where they are, however they fall into pieces. */
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test-support/folders.js";
import { type Line, MAX_LINE_BYTES, openFile, visitLines } from "./lines.js";

async function folder(): Promise<string> {
  const made = await temporaryFolder("omc-lines-");
  return made;
}

async function visited(content: string | Buffer, signal = new AbortController().signal): Promise<{ lines: Line[]; texts: string[]; tooLong: number }> {
  const path = join(await folder(), "x.jsonl");
  await writeFile(path, content);
  const file = await open(path);
  try {
    const lines: Line[] = [];
    const texts: string[] = [];
    const tooLong = await visitLines(file, /needle/g, signal, (line) => {
      lines.push(line);
      texts.push(line.decode());
    });
    return { lines, texts, tooLong };
  } finally {
    await file.close();
  }
}

describe("the lines of a file", () => {
  it("are those that splitting gives", async () => {
    const line = fc.oneof(
      fc.constantFrom("", "needle", "é needle \r", "x".repeat(70_000), `${"ö".repeat(40_000)}needle`, "needle needle"),
      fc.tuple(fc.nat(600_000), fc.boolean()).map(([length, has]) => "y".repeat(length) + (has ? "needle" : "")),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.boolean(), async (lines, ended) => {
        const content = lines.join("\n") + (ended ? "\n" : "");
        const { lines: found, texts } = await visited(content);
        const split = content.split("\n");
        const wanted = split.flatMap((text, index) => (text.includes("needle") ? [index + 1] : []));
        expect(found.map(({ number }) => number)).toEqual(wanted);
        expect(texts).toEqual(wanted.map((number) => split[number - 1]));
        const bytes = Buffer.from(content);
        for (const [at, { offset, length }] of found.entries()) expect(bytes.toString("utf8", offset, offset + length)).toBe(texts[at]);
      }),
      { numRuns: 60 },
    );
  });

  it("that are too long are counted, and the others found around them", async () => {
    const huge = Buffer.alloc(3 * MAX_LINE_BYTES, "needle ");
    const { lines, tooLong } = await visited(Buffer.concat([Buffer.from("needle\n"), huge, Buffer.from("\nx\nneedle"), Buffer.from("\n")]));
    expect(tooLong).toBe(1);
    expect(lines.map(({ number }) => number)).toEqual([1, 4]);
    const { tooLong: last, lines: none } = await visited(huge);
    expect({ last, none }).toEqual({ last: 1, none: [] });
  });

  it("begin after a byte order mark", async () => {
    const { texts, lines } = await visited("\ufeffneedle\nneedle");
    expect(texts).toEqual(["needle", "needle"]);
    expect(lines[0]?.offset).toBe(3);
  });

  it("end with the signal", async () => {
    await expect(visited("needle\n", AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });

  it("are read from regular files only", async () => {
    expect(await openFile(await folder(), true)).toBeUndefined();
  });
});
