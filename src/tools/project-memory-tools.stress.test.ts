/** The project memory through real servers: many at once, and killed ones. */
import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, type Project } from "../test-support/project.js";
import { startServer } from "../test-support/server.js";
import { killWhileWriting, type Write, UNBLOCKED_MS, writeFromMany } from "../test-support/stress.js";
import { plant, readJson } from "./state/calling.js";

const PROCESSES = { servers: 8, each: 25 };
/** Lists keep twenty items, so this is as many as can be seen. */
const FEW = { servers: 8, each: 2 };

const memoryIn = ({ omc }: Project) => readJson(join(omc, "project-memory.json"));
const write: Write = (server, number) =>
  server.call("project_memory_write", { memory: { [`key${number}`]: number, shared: [number] }, merge: true });
const addNote: Write = (server, number) => server.call("project_memory_add_note", { category: "c", content: `${number}` });
const addDirective: Write = (server, number) => server.call("project_memory_add_directive", { directive: `${number}` });

const sorted = (items: unknown, field: string) =>
  (items as Record<string, unknown>[]).map((item) => Number(item[field])).toSorted((a, b) => a - b);
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

describe.each([undefined, { version: "1.0.0", kept: true }])("eight servers writing at once, file before: %j", (before) => {
  it("project_memory_write with merge loses and fails nothing", async () => {
    const project = await makeProject();
    if (before !== undefined) await plant(join(project.omc, "project-memory.json"), before);
    const { failures } = await writeFromMany(project, PROCESSES, write);
    expect(failures).toEqual([]);
    const memory = await memoryIn(project);
    expect(memory).toMatchObject(Object.fromEntries(numbers(200).map((number) => [`key${number}`, number])));
    expect((memory["shared"] as number[]).toSorted((a, b) => a - b)).toEqual(numbers(200));
    expect(memory["kept"]).toBe(before?.kept);
    expect(await readdir(project.omc)).toEqual(["project-memory.json"]);
  });

  it("project_memory_write without merge leaves what one of them wrote", async () => {
    const project = await makeProject();
    if (before !== undefined) await plant(join(project.omc, "project-memory.json"), before);
    const { failures } = await writeFromMany(project, PROCESSES, (server, number) =>
      server.call("project_memory_write", { memory: { number, twice: number } }),
    );
    expect(failures).toEqual([]);
    const { number, twice, kept } = await memoryIn(project);
    expect(number).toBe(twice);
    expect(kept).toBeUndefined();
  });
});

describe("eight servers adding at once", () => {
  it("lose no note and no directive, and no field", async () => {
    const project = await makeProject();
    await plant(join(project.omc, "project-memory.json"), { kept: true });
    const { failures } = await writeFromMany(project, FEW, async (server, number) => {
      const answers = await Promise.all([addNote(server, number), addDirective(server, number), write(server, number)]);
      return answers.find((answer) => answer.isError) ?? answers[0];
    });
    expect(failures).toEqual([]);
    const memory = await memoryIn(project);
    expect(sorted(memory["customNotes"], "content")).toEqual(numbers(16));
    expect(sorted(memory["userDirectives"], "directive")).toEqual(numbers(16));
    expect(memory).toMatchObject({ kept: true, key0: 0, key15: 15 });
  });

  it.each([
    ["project_memory_add_note", addNote, "customNotes", "content"],
    ["project_memory_add_directive", addDirective, "userDirectives", "directive"],
  ] as const)("%s keeps the last of two hundred", async (_tool, add, list, field) => {
    const project = await makeProject();
    await plant(join(project.omc, "project-memory.json"), {});
    const { failures } = await writeFromMany(project, PROCESSES, add);
    expect(failures).toEqual([]);
    const kept = new Set(sorted((await memoryIn(project))[list], field));
    expect(kept.size).toBe(20);
    // The very last write was some server's last.
    expect(numbers(8).some((which) => kept.has(which * 25 + 24))).toBe(true);
  });
});

describe("after a kill", () => {
  it("the file is whole, what was answered is in it, and the next call neither fails nor waits", async () => {
    const project = await makeProject();
    await killWhileWriting(project, 20, write, async ({ answered, refused, next }) => {
      expect(refused).toEqual([]);
      expect(next).toMatchObject({ isError: false });
      expect(next.elapsed).toBeLessThan(UNBLOCKED_MS);
      const memory = await memoryIn(project);
      expect(answered.filter((number) => memory[`key${number}`] !== number)).toEqual([]);
    });
    expect(await readdir(project.omc)).toEqual(["project-memory.json"]);
  });

  it("a lock of a process that is gone does not block any of the tools", async () => {
    const project = await makeProject();
    await plant(join(project.omc, "project-memory.json"), {});
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    const server = await startServer(project);
    for (const [number, tool] of [write, addNote, addDirective].entries()) {
      await plant(join(project.omc, "project-memory.json.lock"), { pid: dead, timestamp: Date.now() });
      const before = performance.now();
      expect(await tool(server, number)).toMatchObject({ isError: false });
      expect(performance.now() - before).toBeLessThan(UNBLOCKED_MS);
    }
    expect(await readdir(project.omc)).toEqual(["project-memory.json"]);
  });
});
