import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readExecution, readInterrupt, readState } from "./bridge-results.js";
import { parseMeta } from "./bridge-meta.js";
import { preview } from "./preview.js";

describe("what is shown of output", () => {
  test("is all of it, if it is short", () => {
    expect(preview({ text: "short\n", bytes: 6, file: undefined })).toBe("short\n");
    const most = "x".repeat(30_000);
    expect(preview({ text: most, bytes: 30_000, file: "f" })).toBe(most);
  });

  test("is beginning and end, and where the rest is", () => {
    const shown = preview({ text: "x".repeat(30_001), bytes: 50_000, file: "/srv/x/out.txt" });
    expect(shown).toBe(
      `${"x".repeat(20_000)}\n[... 22000 of 50000 bytes left out; the whole output is in /srv/x/out.txt ...]\n${"x".repeat(8_000)}`,
    );
    expect(preview({ text: "y", bytes: 5, file: undefined })).toContain("4 of 5 bytes left out; they are not kept");
  });

  test("never cuts a character, and always counts right", () => {
    const unit = fc.constantFrom("a", "é", "€", "😀", "\n");
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 8 }), fc.integer({ min: 5_000, max: 20_000 }), (units, times) => {
        const text = units.join("").repeat(times);
        const shown = preview({ text, bytes: Buffer.byteLength(text), file: "f" });
        const [, left] = /\[\.\.\. (\d+) of/.exec(shown) ?? [undefined, "0"];
        const note = /\n\[\.\.\. .* \.\.\.\]\n/.exec(shown)?.[0] ?? "";
        expect(shown).not.toContain("\u{fffd}");
        expect(Buffer.byteLength(shown.replace(note, "")) + Number(left)).toBe(Buffer.byteLength(text));
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(30_200);
      }),
      { numRuns: 30 },
    );
  });
});

describe("whatever a bridge answers", () => {
  test("can be read", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(readExecution(value).stdout.text).toBeTypeOf("string");
        expect(readState(value).variable_count).toBeTypeOf("number");
        expect(readInterrupt(value).status).toBeTypeOf("string");
        parseMeta(JSON.stringify(value));
      }),
    );
  });

  test("a bridge of the reference says less, and that is enough", () => {
    const result = { success: true, stdout: "1\n", stderr: "", markers: [], timing: { started_at: "t", duration_ms: 1.5 }, memory: { rss_mb: 1, vms_mb: 0 } };
    expect(readExecution(result)).toMatchObject({ success: true, stdout: { text: "1\n", file: undefined }, error: undefined, execution: undefined });
    const meta = { pid: 7, socketPath: "s", startedAt: "t", sessionId: "x", pythonEnv: { pythonPath: "p", type: "venv" } };
    expect(parseMeta(JSON.stringify(meta))).toEqual(meta);
    expect(parseMeta(JSON.stringify({ ...meta, pid: 0 }))).toBeUndefined();
    expect(parseMeta(JSON.stringify({ ...meta, pythonEnv: {} }))).toBeUndefined();
  });
});
