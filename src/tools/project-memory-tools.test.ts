/** The project memory tools through the frame, in a project of their own: texts, limits, odd files, failures. */
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callTool } from "../mcp/frame.js";
import { buildListToolsResponse } from "../mcp/tool-registry.js";
import { git, makeRepository } from "../test-support/project.js";
import { projectMemoryTools } from "./project-memory-tools.js";
import { enter, enterProject, plant, readJson } from "./state/calling.js";

const NOTE = { category: "build", content: "use pnpm" };
const DIRECTIVE = { directive: "no force push" };
const WRITES: [string, Record<string, unknown>][] = [
  ["project_memory_write", { memory: { a: 1 } }],
  ["project_memory_write", { memory: { a: 1 }, merge: true }],
  ["project_memory_add_note", NOTE],
  ["project_memory_add_directive", DIRECTIVE],
];

async function call(name: string, args: Record<string, unknown> = {}): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await callTool(name, args, { signal: new AbortController().signal });
  return { text: content[0].text, isError };
}

async function said(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { text, isError } = await call(name, args);
  expect({ text, isError }).toMatchObject({ isError: false });
  return text;
}

function jsonIn(text: string): unknown {
  return JSON.parse(/^```json\n(.*)\n```$/ms.exec(text)?.[1] ?? "undefined");
}

const fileOf = ({ omc }: { omc: string }) => join(omc, "project-memory.json");

describe("the answers", () => {
  it("of writing and reading", async () => {
    const project = await enterProject();
    const path = fileOf(project);
    expect(await said("project_memory_write", { memory: { build: { testCommand: "make test" } } })).toBe(
      `Successfully wrote project memory.\nPath: ${path}`,
    );
    expect(await said("project_memory_write", { memory: { mine: 1 }, merge: true })).toBe(
      `Successfully merged project memory.\nPath: ${path}`,
    );
    expect(await said("project_memory_add_note", NOTE)).toBe(
      "Successfully added note to project memory.\n\n- **Category:** build\n- **Content:** use pnpm",
    );
    expect(await said("project_memory_add_directive", { ...DIRECTIVE, context: "main", priority: "high" })).toBe(
      "Successfully added directive to project memory.\n\n- **Directive:** no force push\n- **Priority:** high\n- **Context:** main",
    );
    const text = await said("project_memory_read");
    expect(text.startsWith(`## Project Memory\n\nPath: ${path}\n\n\`\`\`json\n`)).toBe(true);
    const memory = await readJson(path);
    expect(jsonIn(text)).toEqual(memory);
    expect(memory).toMatchObject({
      version: "1.0.0",
      projectRoot: project.root,
      lastScanned: expect.any(Number),
      build: { testCommand: "make test" },
      mine: 1,
      customNotes: [{ ...NOTE, source: "manual", timestamp: expect.any(Number) }],
      userDirectives: [{ ...DIRECTIVE, context: "main", source: "explicit", priority: "high" }],
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, "utf8")).toBe(JSON.stringify(memory, null, 2));
    expect(await readdir(project.omc)).toEqual(["project-memory.json"]);
  });

  it("of sections, null for what is not recorded", async () => {
    await enterProject();
    await said("project_memory_write", { memory: { techStack: { runtime: "node" }, customNotes: [NOTE] } });
    const section = async (name: string) => {
      const text = await said("project_memory_read", { section: name });
      expect(text.startsWith(`## Project Memory: ${name}\n\n\`\`\`json\n`)).toBe(true);
      return jsonIn(text);
    };
    expect(await section("techStack")).toEqual({ runtime: "node" });
    expect(await section("conventions")).toBeNull();
    expect(await section("notes")).toEqual([NOTE]);
    expect(await section("directives")).toEqual([]);
  });

  it("of a memory that does not exist", async () => {
    const project = await enterProject();
    for (const [name, args] of [["project_memory_read", {}], WRITES[2]!, WRITES[3]!] as typeof WRITES) {
      const text = await said(name, args);
      expect(text).toContain("Project memory does not exist");
      expect(text).toContain(`Expected path: ${fileOf(project)}`);
    }
    expect(await readdir(project.root)).not.toContain(".omc");
  });

  it("of a replacement say how many notes and directives it removed", async () => {
    await enterProject();
    const note = { timestamp: 1, source: "manual", category: "a", content: "b" };
    await said("project_memory_write", { memory: { customNotes: [note] } });
    await said("project_memory_add_note", NOTE);
    await said("project_memory_add_note", { ...NOTE, content: "use node 24" });
    await said("project_memory_add_directive", DIRECTIVE);
    expect(await said("project_memory_write", { memory: { a: 1 }, merge: true })).not.toContain("Removed");
    expect(await said("project_memory_write", { memory: { customNotes: [note] } })).toMatch(/\nRemoved from the memory before: 2 notes, 1 directive\. merge:true keeps them$/);
    expect(await said("project_memory_write", { memory: { customNotes: [note] } })).not.toContain("Removed");
  });

  it("of a directive that is there already: nothing changes", async () => {
    const project = await enterProject();
    await said("project_memory_write", { memory: {} });
    const added = await said("project_memory_add_directive", DIRECTIVE);
    expect(added).toContain("- **Priority:** normal\n- **Context:** (none)");
    const before = await stat(fileOf(project));
    expect(added).not.toContain("already");
    expect(await said("project_memory_add_directive", { directive: "NO force PUSH" })).toMatch(/^Successfully added directive[^]+\n\nIt was there already; nothing was changed/);
    expect((await stat(fileOf(project))).ino).toBe(before.ino);
  });

  it("the same write twice changes nothing the second time", async () => {
    const project = await enterProject();
    for (const merge of [false, true]) {
      await said("project_memory_write", { memory: { a: [1], hotPaths: [] }, merge });
      const before = await stat(fileOf(project));
      await said("project_memory_write", { memory: { a: [1], hotPaths: [] }, merge });
      expect((await stat(fileOf(project))).ino).toBe(before.ino);
    }
  });
});

describe("arguments outside their limits write nothing", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["project_memory_write", {}, "Missing memory"],
    ["project_memory_write", { memory: "text" }, "Invalid memory"],
    ["project_memory_write", { memory: [1] }, "Invalid memory"],
    ["project_memory_write", { memory: null }, "memory"],
    ["project_memory_write", { memory: {}, merge: "yes" }, "Invalid merge"],
    ["project_memory_add_note", { content: "x" }, "Missing category"],
    ["project_memory_add_note", { category: "x".repeat(51), content: "x" }, "Invalid category"],
    ["project_memory_add_note", { category: "x", content: "x".repeat(1001) }, "Invalid content"],
    ["project_memory_add_directive", {}, "Missing directive"],
    ["project_memory_add_directive", { directive: "x".repeat(501) }, "Invalid directive"],
    ["project_memory_add_directive", { directive: "x", context: "x".repeat(501) }, "Invalid context"],
    ["project_memory_add_directive", { directive: "x", priority: "low" }, "Invalid priority"],
    ["project_memory_read", { section: "customNotes" }, "Invalid section"],
  ])("%s %.60j", async (name, args, message) => {
    const { root } = await enterProject();
    const { text, isError } = await call(name, args);
    expect(isError).toBe(true);
    expect(text).toContain(message);
    expect(await readdir(root)).not.toContain(".omc");
  });

  it("and the limits themselves are taken", async () => {
    await enterProject();
    const big = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, "x".repeat(5_000)]));
    await said("project_memory_write", { memory: big });
    await said("project_memory_add_note", { category: "c".repeat(50), content: "x".repeat(1000) });
    await said("project_memory_add_directive", { directive: "d".repeat(500), context: "x".repeat(500), priority: null });
    expect(jsonIn(await said("project_memory_read"))).toMatchObject(big);
  });

  it.each([false, true])("what is too deep is refused, merge %j", async (merge) => {
    const { root } = await enterProject();
    const memory = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`) as Record<string, unknown>;
    const { text, isError } = await call("project_memory_write", { memory, merge });
    expect({ text, isError }).toEqual({
      text: "Error writing project memory: the memory is nested deeper than 1000 levels; nothing was written",
      isError: true,
    });
    expect(await readdir(root)).not.toContain(".omc");
  });
});

describe("what is in the file is never discarded unseen", () => {
  const CORRUPT = ['{"customNotes": [', "[1]", '"text"', "null"];

  it.each(CORRUPT)("a file of %s is refused by everything but a replacement", async (file) => {
    const project = await enterProject();
    const path = await plant(fileOf(project), file);
    for (const [name, args] of [["project_memory_read", {}], ...WRITES.slice(1)] as typeof WRITES) {
      const { text, isError } = await call(name, args);
      expect(isError).toBe(true);
      expect(text).toMatch(/^Error .*project-memory\.json was not used because it is not .*project_memory_write and merge:false/);
      expect(await readFile(path, "utf8")).toBe(file);
    }
  });

  it("a replacement keeps a copy, and says where", async () => {
    const project = await enterProject();
    const path = await plant(fileOf(project), "{broken");
    const text = await said("project_memory_write", { memory: { a: 1 } });
    const backup = /kept as (.*)$/.exec(text)?.[1] ?? "";
    expect(backup).toMatch(/project-memory\.json\.corrupt-\d{8}T\d{9}Z$/);
    expect(await readFile(backup, "utf8")).toBe("{broken");
    expect(await readJson(path)).toMatchObject({ a: 1 });
    await said("project_memory_write", { memory: { a: 2 } });
    expect(await readdir(project.omc)).toHaveLength(2);
  });

  it("a partial memory is a memory, and what is added makes it one for other programs too", async () => {
    const project = await enterProject();
    const path = await plant(fileOf(project), { version: "1.0.0", customNotes: [{ content: "kept" }], unknown: { x: 1 } });
    expect(jsonIn(await said("project_memory_read", { section: "notes" }))).toEqual([{ content: "kept" }]);
    await said("project_memory_write", { memory: { a: 1 }, merge: true });
    await said("project_memory_add_note", NOTE);
    expect(await readJson(path)).toMatchObject({
      customNotes: [{ content: "kept" }, NOTE],
      unknown: { x: 1 },
      lastScanned: expect.any(Number),
      projectRoot: project.root,
    });
  });

  it("a list that is none is not replaced by one", async () => {
    const project = await enterProject();
    const path = await plant(fileOf(project), { customNotes: { a: 1 }, userDirectives: "text" });
    for (const [name, args] of WRITES.slice(2)) expect(await call(name, args)).toMatchObject({ isError: true });
    expect(await readJson(path)).toEqual({ customNotes: { a: 1 }, userDirectives: "text" });
  });

  it("names that reach prototypes are skipped", async () => {
    const project = await enterProject();
    const memory = JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1},"constructor":{},"b":2}}') as object;
    for (const merge of [false, true]) {
      await said("project_memory_write", { memory, merge });
      expect((await readJson(fileOf(project)))["a"]).toEqual({ b: 2 });
    }
    expect(await readFile(fileOf(project), "utf8")).not.toContain("polluted");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("what fails is an error, in our words, without paths", () => {
  const PREFIXES: Record<string, string> = {
    project_memory_read: "Error reading project memory: ",
    project_memory_write: "Error writing project memory: ",
    project_memory_add_note: "Error adding note: ",
    project_memory_add_directive: "Error adding directive: ",
  };

  it.each([["project_memory_read", {}], ...WRITES] as typeof WRITES)("%s %j on a folder in place of the file", async (name, args) => {
    const project = await enterProject();
    await mkdir(fileOf(project), { recursive: true });
    const { text, isError } = await call(name, args);
    expect(isError).toBe(true);
    expect(text).toBe(`${PREFIXES[name]}'project-memory.json' is not a regular file and was not read`);
  });

  it.each([["project_memory_read", {}], ...WRITES] as typeof WRITES)("%s %j through a symbolic link", async (name, args) => {
    const project = await enterProject();
    await mkdir(project.omc);
    const outside = await plant(join(project.folder, "outside.json"), { secret: 1 });
    await symlink(outside, fileOf(project));
    const { text, isError } = await call(name, args);
    expect(isError).toBe(true);
    expect(text).toContain("is a symbolic link");
    expect(text).not.toContain("secret");
    expect(await readJson(outside)).toEqual({ secret: 1 });
  });

  it("a file that is not JSON is not quoted", async () => {
    const project = await enterProject();
    await plant(fileOf(project), "root:x:0:0");
    expect((await call("project_memory_read")).text).not.toContain("root:x");
  });
});

describe("calls on one server do not overwrite each other", () => {
  it("of all kinds, pipelined", async () => {
    const project = await enterProject();
    await said("project_memory_write", { memory: {} });
    const numbers = Array.from({ length: 16 }, (_, at) => at);
    await Promise.all(
      numbers.flatMap((at) => [
        said("project_memory_write", { memory: { [`key${at}`]: at }, merge: true }),
        said("project_memory_add_note", { category: "c", content: `note ${at}` }),
        said("project_memory_add_directive", { directive: `directive ${at}` }),
      ]),
    );
    const memory = await readJson(fileOf(project));
    for (const at of numbers) expect(memory[`key${at}`]).toBe(at);
    expect(memory["customNotes"]).toHaveLength(16);
    expect(memory["userDirectives"]).toHaveLength(16);
  });
});

describe("the folder named is the folder meant", () => {
  it("a linked worktree has its own memory, another repository is refused", async () => {
    const { root, folder } = await enterProject();
    const linked = join(folder, "linked");
    await git(root, "worktree", "add", "--quiet", linked);
    const other = await makeRepository(folder, "other");
    await said("project_memory_write", { memory: { a: 1 }, workingDirectory: linked });
    expect(await readJson(join(linked, ".omc", "project-memory.json"))).toMatchObject({ a: 1, projectRoot: linked });
    for (const [name, args] of WRITES) {
      const { text, isError } = await call(name, { ...args, workingDirectory: other });
      expect(isError).toBe(true);
      expect(text).toMatch(/^Error .*belongs to a different repository than 'project' and was not used$/);
    }
    expect(await readdir(root)).not.toContain(".omc");
    expect(await readdir(other)).not.toContain(".omc");
  });

  it("a directory without a repository goes on from the memory it had in the shared home, not from that of another", async () => {
    const { folder, home } = await enterProject();
    const plain = join(folder, "plain");
    await mkdir(plain);
    enter(plain, home);
    const shared = join(home, ".omc", "project-memory.json");
    await plant(shared, { projectRoot: join(folder, "elsewhere"), secret: 1 });
    expect(await said("project_memory_read")).toContain("Project memory does not exist");
    const older = JSON.stringify({ projectRoot: plain, older: 1 });
    await writeFile(shared, older);
    expect(await said("project_memory_read")).toContain('"older": 1');
    await said("project_memory_add_note", NOTE);
    const text = await said("project_memory_read");
    expect(jsonIn(text)).toMatchObject({ older: 1, customNotes: [NOTE] });
    expect(text).toContain(join(home, ".omc", "projects"));
    expect(await readFile(shared, "utf8")).toBe(older);
  });
});

describe("the list", () => {
  it("has the four tools in order, each with its limits, a description of every argument and four hints", () => {
    const listed = buildListToolsResponse(projectMemoryTools as never).tools;
    expect(listed.map(({ name }) => name)).toEqual([
      "project_memory_read",
      "project_memory_write",
      "project_memory_add_note",
      "project_memory_add_directive",
    ]);
    for (const { description, inputSchema, annotations } of listed) {
      expect(description.length).toBeLessThan(300);
      expect(Object.values(annotations)).toHaveLength(4);
      for (const property of Object.values(inputSchema.properties)) expect(property["description"]).toEqual(expect.any(String));
    }
    // Open, and said so in the form that clients keep.
    expect(listed[1]?.inputSchema.properties["memory"]).toMatchObject({ type: "object", additionalProperties: true });
    expect(listed[2]?.inputSchema.properties).toMatchObject({ category: { maxLength: 50 }, content: { maxLength: 1000 } });
    expect(listed[3]?.inputSchema.properties).toMatchObject({ directive: { maxLength: 500 }, context: { maxLength: 500 } });
  });
});
