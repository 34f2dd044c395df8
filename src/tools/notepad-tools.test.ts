/** The notepad tools through the frame, in a project of their own: texts, limits, odd files, failures. */
import { mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { withFileLock } from "../lib/file-lock.js";
import { type CallAnswer, callTool } from "../mcp/frame.js";
import { buildListToolsResponse } from "../mcp/tool-registry.js";
import { git, makeRepository } from "../test-support/project.js";
import { MAX_FILE_BYTES } from "./notepad/notepad-file.js";
import { notepadTools } from "./notepad-tools.js";
import { enter, enterProject, plant } from "./state/calling.js";

const WRITERS = ["notepad_write_priority", "notepad_write_working", "notepad_write_manual"] as const;

async function call(name: string, args: Record<string, unknown> = {}): Promise<{ text: string; isError: boolean }> {
  const { content, isError }: CallAnswer = await callTool(name, args, { signal: new AbortController().signal });
  return { text: content[0].text, isError };
}

async function said(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { text, isError } = await call(name, args);
  expect({ text, isError }).toMatchObject({ isError: false });
  return text;
}

function freezeTime(iso: string): void {
  vi.useFakeTimers({ now: new Date(iso), toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

describe("the answers", () => {
  it("of writing and reading", async () => {
    const { omc } = await enterProject();
    freezeTime("2026-11-30T02:16:40Z");
    expect(await said("notepad_write_priority", { content: "P1" })).toBe("Successfully wrote to Priority Context (2 chars)");
    expect(await said("notepad_write_working", { content: "W1" })).toBe("Successfully added entry to Working Memory (2 chars)");
    expect(await said("notepad_write_working", { content: "W2 line1\nline2" })).toContain("(14 chars)");
    expect(await said("notepad_write_manual", { content: "👍" })).toBe("Successfully added entry to MANUAL section (2 chars)");
    expect(await said("notepad_read", { section: "priority" })).toBe("## Priority Context\n\nP1");
    expect(await said("notepad_read", { section: "working" })).toBe(
      "## Working Memory\n\n### 2026-11-30 02:16\nW1\n### 2026-11-30 02:16\nW2 line1\nline2",
    );
    expect(await said("notepad_read", { section: "manual" })).toBe("## MANUAL\n\n### 2026-11-30 02:16\n👍");
    const path = join(omc, "notepad.md");
    const file = await readFile(path, "utf8");
    expect(await said("notepad_read")).toBe(`## Notepad\n\nPath: ${path}\n\n${file}`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(omc)).toEqual(["notepad.md"]);
  });

  it("of statistics", async () => {
    const { omc } = await enterProject();
    freezeTime("2026-11-30T02:16:40Z");
    expect(await said("notepad_stats")).toMatch(/^## Notepad Statistics\n\n.*does not exist yet/);
    await said("notepad_write_priority", { content: "ä<!--" });
    const path = join(omc, "notepad.md");
    const lines = async () => (await said("notepad_stats")).split("\n");
    expect(await lines()).toEqual([
      "## Notepad Statistics",
      "",
      `- **Total Size:** ${(await stat(path)).size} bytes`,
      "- **Priority Context Size:** 6 bytes",
      "- **Working Memory Entries:** 0",
      "- **Oldest Entry:** None",
      `- **Path:** ${path}`,
    ]);
    await plant(path, "## Working Memory\n<!-- WM:2026-01-02 03:04 -->\nolder mark\n### 2026-02-02 03:04\nx\n");
    expect(await lines()).toEqual(expect.arrayContaining(["- **Working Memory Entries:** 2", "- **Oldest Entry:** 2026-01-02 03:04"]));
  });

  it("of pruning", async () => {
    const { omc } = await enterProject();
    const none = "## Prune Results\n\n- Pruned: 0 entries\n- Remaining: 0 entries\n- Threshold: 7 days";
    expect(await said("notepad_prune")).toBe(none);
    expect(await readdir(join(omc, "..")).then((names) => names.includes(".omc"))).toBe(false);
    freezeTime("2026-11-30T12:00:00Z");
    const path = await plant(join(omc, "notepad.md"), "## Working Memory\n### 2026-11-23 11:59\nold\n### 2026-11-23 12:00\nkept\n");
    expect(await said("notepad_prune", {})).toBe(
      "## Prune Results\n\n- Pruned: 1 entries\n- Remaining: 1 entries\n- Threshold: 7 days",
    );
    expect(await readFile(path, "utf8")).toBe("## Working Memory\n### 2026-11-23 12:00\nkept\n");
    expect(await said("notepad_prune", { daysOld: 1 })).toContain("- Pruned: 1 entries\n- Remaining: 0 entries\n- Threshold: 1 days");
  });

  it("of reading what is not there", async () => {
    const { omc } = await enterProject();
    expect(await said("notepad_read")).toContain("Notepad does not exist");
    expect(await said("notepad_read", { section: "manual" })).toBe("## MANUAL\n\n(Empty or notepad does not exist)");
    await said("notepad_write_priority", { content: "" });
    expect(await said("notepad_read", { section: "priority" })).toBe("## Priority Context\n\n(Empty or notepad does not exist)");
    expect(await readdir(omc)).toEqual(["notepad.md"]);
  });

  it("warn of a long Priority Context, which is written all the same", async () => {
    await enterProject();
    expect(await said("notepad_write_priority", { content: "x".repeat(500) })).not.toContain("**Warning:**");
    expect(await said("notepad_write_priority", { content: "y".repeat(501) })).toMatch(/^Successfully wrote to Priority Context \(501 chars\)\n\n\*\*Warning:\*\*/);
    expect(await said("notepad_read", { section: "priority" })).toContain("y".repeat(501));
  });
});

describe("what was written", () => {
  const part = fc.constantFrom("## MANUAL", "### 2020-01-01 00:00", "<!-- x -->", "-->", "$&", "$1", "😀", "\uD800", "\r\n", "\n", " ", "\\", "&#10;");
  const content = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 400 }),
    fc.array(fc.oneof(part, fc.string({ maxLength: 3 })), { minLength: 1, maxLength: 40 }).map((parts) => parts.join("") || "x"),
  );

  /** Half a character cannot be in an answer; the file keeps it. */
  const shown = (text: string): string => text.replaceAll(/\p{Cs}/gu, "\uFFFD");

  it("is what is read, from every section and from the whole", async () => {
    const { omc } = await enterProject();
    const path = join(omc, "notepad.md");
    await fc.assert(
      fc.asyncProperty(content, content, fc.constantFrom("", "# Notepad\r\n"), async (first, second, file) => {
        await plant(path, file);
        await said("notepad_write_priority", { content: second });
        await said("notepad_write_working", { content: second });
        await said("notepad_write_manual", { content: first });
        await said("notepad_write_manual", { content: second });
        await said("notepad_write_priority", { content: first });
        const [one, two] = [shown(first), shown(second)];
        expect(await said("notepad_read", { section: "priority" })).toBe(`## Priority Context\n\n${one}`);
        const [, , , stamp = ""] = /^(## .*)\n\n(### (.*)\n)/.exec(await said("notepad_read", { section: "manual" })) ?? [];
        expect(await said("notepad_read", { section: "working" })).toMatch(/^## Working Memory\n\n### /);
        const manual = await said("notepad_read", { section: "manual" });
        expect(manual.startsWith(`## MANUAL\n\n### ${stamp}\n${one}\n### `)).toBe(true);
        expect(manual.endsWith(`\n${two}`)).toBe(true);
        const whole = await said("notepad_read");
        for (const text of [one, two]) expect(whole).toContain(text);
      }),
      { numRuns: 60 },
    );
  });
});

describe("arguments outside their limits write nothing", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ...WRITERS.flatMap((name): [string, Record<string, unknown>, string][] => [
      [name, {}, "Missing content"],
      [name, { content: null }, "content"],
      [name, { content: 7 }, "Invalid content"],
      [name, { content: "x".repeat(name === "notepad_write_priority" ? 2001 : 4001) }, "Invalid content"],
      [name, { content: "x", workingDirectory: 3 }, "Invalid workingDirectory"],
    ]),
    ["notepad_prune", { daysOld: 0 }, "Invalid daysOld"],
    ["notepad_prune", { daysOld: -3 }, "Invalid daysOld"],
    ["notepad_prune", { daysOld: 366 }, "Invalid daysOld"],
    ["notepad_prune", { daysOld: 1.5 }, "Invalid daysOld"],
    ["notepad_read", { section: "none" }, "Invalid section"],
  ])("%s %.60j", async (name, args, message) => {
    const { root } = await enterProject();
    const answer = await call(name, args);
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain(message);
    expect(await readdir(root)).not.toContain(".omc");
  });

  it("and the limits themselves are taken, with unknown arguments beside them", async () => {
    await enterProject();
    const [longest, entry] = ["p".repeat(2000), "😀".repeat(2000)];
    await said("notepad_write_priority", { content: longest, status: "extra" });
    await said("notepad_write_working", { content: entry });
    await said("notepad_write_manual", { content: entry });
    expect(await said("notepad_read", { section: "priority" })).toBe(`## Priority Context\n\n${longest}`);
    expect(await said("notepad_read", { section: "working" })).toContain(`\n${entry}`);
    for (const daysOld of [1, 365]) await said("notepad_prune", { daysOld });
  });
});

describe("what fails is an error, in our words, without paths", () => {
  const FAILURES: [string, string, Record<string, unknown>][] = [
    ["notepad_read", "Error reading notepad: ", {}],
    ["notepad_read", "Error reading notepad: ", { section: "working" }],
    ["notepad_write_priority", "Failed to write to Priority Context: ", { content: "x" }],
    ["notepad_write_working", "Failed to write to Working Memory: ", { content: "x" }],
    ["notepad_write_manual", "Failed to write to MANUAL: ", { content: "x" }],
    ["notepad_prune", "Error pruning notepad: ", {}],
    ["notepad_stats", "Error getting notepad stats: ", {}],
  ];

  it.each(FAILURES)("%s on a folder in place of the file", async (name, prefix, args) => {
    const { omc, folder } = await enterProject();
    await mkdir(join(omc, "notepad.md"), { recursive: true });
    const { text, isError } = await call(name, args);
    expect(isError).toBe(true);
    expect(text).toBe(`${prefix}'notepad.md' is not a regular file and was not read`);
    expect(text).not.toContain(folder);
  });

  it.each(FAILURES)("%s through a symbolic link", async (name, _prefix, args) => {
    const { omc, folder } = await enterProject();
    await mkdir(omc);
    const outside = await plant(join(folder, "outside.md"), "## Working Memory\n### 2020-01-01 00:00\nsecret\n");
    await symlink(outside, join(omc, "notepad.md"));
    const { text, isError } = await call(name, args);
    expect(isError).toBe(true);
    expect(text).toContain("is a symbolic link");
    expect(text).not.toContain("secret");
    expect(await readFile(outside, "utf8")).toContain("secret");
  });

  it("a lock that is not given up names its holder, and the other calls go on meanwhile", async () => {
    const { omc } = await enterProject();
    await said("notepad_write_working", { content: "first" });
    const path = join(omc, "notepad.md");
    const stop = new AbortController();
    const held = await new Promise<() => void>((locked) => {
      void withFileLock(path, { waitMs: 1_000 }, () => new Promise<void>((release) => locked(release)));
    });
    const waiting = callTool("notepad_write_working", { content: "second" }, { signal: stop.signal });
    expect(await said("notepad_read", { section: "working" })).toContain("first"); // nothing is blocked
    stop.abort(new Error("the call was cancelled"));
    expect(await waiting).toMatchObject({ isError: true, content: [{ text: "Failed to write to Working Memory: the call was cancelled" }] });
    held();
    expect(await said("notepad_read", { section: "working" })).not.toContain("second");
  });
});

describe("the folder named is the folder meant", () => {
  it("a linked worktree has its own notepad, another repository is refused", async () => {
    const { root, folder } = await enterProject();
    const linked = join(folder, "linked");
    await git(root, "worktree", "add", "--quiet", linked);
    const other = await makeRepository(folder, "other");
    await said("notepad_write_working", { content: "in linked", workingDirectory: linked });
    expect(await readFile(join(linked, ".omc", "notepad.md"), "utf8")).toContain("in linked");
    for (const name of WRITERS) {
      const { text, isError } = await call(name, { content: "lost?", workingDirectory: other });
      expect(isError).toBe(true);
      expect(text).toMatch(/^Error writing to .*belongs to a different repository than 'project' and was not used$/);
    }
    expect(await readdir(root)).not.toContain(".omc");
    expect(await readdir(other)).not.toContain(".omc");
  });

  it("a directory without a repository reads the notes it had in the shared home, and writes its own", async () => {
    const { folder, home } = await enterProject();
    const plain = join(folder, "plain");
    await mkdir(plain);
    enter(plain, home);
    const older = await plant(join(home, ".omc", "notepad.md"), "## MANUAL\n### 2026-01-01 00:00\nolder\n");
    expect(await said("notepad_read", { section: "manual" })).toContain("older");
    await said("notepad_write_manual", { content: "own" });
    expect(await said("notepad_read", { section: "manual" })).not.toContain("older");
    expect(await said("notepad_read")).toContain(older); // says where the older ones are
    expect(await readFile(older, "utf8")).not.toContain("own");
  });
});

describe("files that are not as we would write them", () => {
  it.each<[string, string]>([
    ["an empty file", ""],
    ["blank lines", "\n\n"],
    ["CRLF lines", "# Notepad\r\n\r\n## Priority Context\r\n\r\n## Working Memory\r\n\r\n## MANUAL\r\n"],
    ["no headings", "some text"],
    ["one heading missing", "# Notepad\n\n## Priority Context\n\n## MANUAL\n"],
    ["a byte order mark", "\uFEFF# Notepad\n"],
  ])("%s: what is said to be written is there", async (_what, file) => {
    const { omc } = await enterProject();
    const path = await plant(join(omc, "notepad.md"), file);
    const content = "## MANUAL\n<!-- mine -->\n### 2020-01-01 00:00\n$& $1\r\nend ";
    for (const name of WRITERS) await said(name, { content });
    for (const section of ["priority", "working", "manual"]) {
      const text = await said("notepad_read", { section });
      expect(text.endsWith(content)).toBe(true);
    }
    expect(await said("notepad_read")).toContain(content);
    expect(await said("notepad_prune", { daysOld: 1 })).toContain("- Pruned: 0 entries\n- Remaining: 1 entries");
    const lines = (await readFile(path, "utf8")).split("\n");
    if (file.includes("\r\n")) expect(lines.slice(0, -1).every((line) => line.endsWith("\r"))).toBe(true);
  });

  it("comments of other writers stay when something is added (b)", async () => {
    const { omc } = await enterProject();
    const path = await plant(join(omc, "notepad.md"), "## MANUAL\n### 2026-01-01 00:00\na <!-- keep --> b\n");
    await said("notepad_write_manual", { content: "next" });
    expect(await readFile(path, "utf8")).toContain("a <!-- keep --> b\n### ");
  });

  it("the file has a largest size, at which pruning still works (f)", async () => {
    const { omc } = await enterProject();
    const entry = `### 2020-01-01 00:00\n${"x".repeat(1000)}\n`;
    const path = await plant(join(omc, "notepad.md"), `## Working Memory\n${entry.repeat(Math.ceil(MAX_FILE_BYTES / entry.length))}`);
    const before = await readFile(path, "utf8");
    const { text, isError } = await call("notepad_write_manual", { content: "one more" });
    expect(isError).toBe(true);
    expect(text).toMatch(/over its limit of 1048576; nothing was written\. Remove old entries with notepad_prune/);
    expect(await readFile(path, "utf8")).toBe(before);
    expect(await said("notepad_prune")).toContain("- Remaining: 0 entries");
    await said("notepad_write_manual", { content: "one more" });
  });

  it("writing what is there already does not touch the file", async () => {
    const { omc } = await enterProject();
    const path = join(omc, "notepad.md");
    await said("notepad_write_priority", { content: "same" });
    const before = await stat(path);
    await said("notepad_write_priority", { content: "same" });
    expect((await stat(path)).ino).toBe(before.ino);
  });
});

describe("the list", () => {
  it("has the six tools in order, each with its limits, a description of every argument and four hints", () => {
    const listed = buildListToolsResponse(notepadTools as never).tools;
    expect(listed.map(({ name }) => name)).toEqual([
      "notepad_read",
      "notepad_write_priority",
      "notepad_write_working",
      "notepad_write_manual",
      "notepad_prune",
      "notepad_stats",
    ]);
    for (const { description, inputSchema, annotations } of listed) {
      expect(description.length).toBeLessThan(300);
      expect(Object.values(annotations)).toHaveLength(4);
      for (const property of Object.values(inputSchema.properties)) expect(property["description"]).toEqual(expect.any(String));
    }
    const properties = (name: string) => listed.find((tool) => tool.name === name)?.inputSchema.properties;
    expect(properties("notepad_write_priority")?.["content"]).toMatchObject({ maxLength: 2000 });
    expect(properties("notepad_write_manual")?.["content"]).toMatchObject({ maxLength: 4000 });
    expect(properties("notepad_prune")?.["daysOld"]).toMatchObject({ type: "integer", minimum: 1, maximum: 365 });
  });
});
