import { open, rmdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorText, isMistake } from "./error-text.js";

describe("what is told of an error", () => {
  it.each([
    [new Error("the note is too long"), "the note is too long"],
    ["as text", "as text"],
    ["", "failed without a reason"],
    [undefined, "failed without a reason"],
    [{ secret: 1 }, "failed without a reason"],
    [new Error(""), "Error"],
    [new TypeError("x.y is not a function"), "internal error (TypeError); the server's stderr has the details"],
  ])("%s", (error, text) => {
    expect(errorText(error)).toBe(text);
  });

  it("is no absolute path of the operating system's", async () => {
    const missing = await open(join(tmpdir(), "no-such-folder", "note.md")).catch((error: unknown) => error);
    expect(errorText(missing)).toBe("ENOENT: no such file or directory (open 'note.md')");
    const folder = await open(tmpdir(), "w").catch((error: unknown) => error);
    expect(errorText(folder)).toMatch(/^EISDIR: illegal operation on a directory \(open '[^/]*'\)$/);
    const gone = await rmdir(join(tmpdir(), "no-such-folder")).catch((error: unknown) => error);
    expect(errorText(gone)).toBe("ENOENT: no such file or directory (rmdir 'no-such-folder')");
  });

  it("is not where the server lies when a part of it is missing", async () => {
    const required: unknown = await Promise.resolve().then(() => createRequire(import.meta.url)("./no-such-part")).catch((error: unknown) => error);
    expect(errorText(required)).toBe("a part of the server is missing ('./no-such-part'); install the plugin again");
    const path = join(tmpdir(), "no-such-part.mjs");
    const imported = Object.assign(new Error(`Cannot find module '${path}' imported from ${tmpdir()}/x.js`), { code: "ERR_MODULE_NOT_FOUND" });
    expect(errorText(imported)).toBe("a part of the server is missing ('no-such-part.mjs'); install the plugin again");
  });

  it.each([
    [".k.json.tmp.24334-886876-0123456789abcdef-4c09e0f6-c299-47ec-b8f7-58e5e6cc0525", "k.json"],
    ["notepad.md.lock.24501.0123456789abcdef-2c0299aa-7b79-4b39-b955-de8a1d826609.tmp", "notepad.md"],
    ["ralph-state.json.mutation.lock.7.2c0299aa-7b79-4b39-b955-de8a1d826609.tmp", "ralph-state.json"],
    ["a.lock.tmp", "a.lock.tmp"],
  ])("names the file that %s was made for", async (name, known) => {
    const error = await open(join(tmpdir(), "no-such-folder", name)).catch((reason: unknown) => reason);
    expect(errorText(error)).toBe(`ENOENT: no such file or directory (open '${known}')`);
  });

  it("tells our own mistakes from everything else", async () => {
    expect(isMistake(new RangeError("x"))).toBe(true);
    expect(isMistake(new Error("x"))).toBe(false);
    expect(isMistake("x")).toBe(false);
    expect(isMistake(await open("/no/such").catch((error: unknown) => error))).toBe(false);
  });
});
