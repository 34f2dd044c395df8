/** The notepad through real servers: many at once, killed ones, and clocks in other places. */
import { spawnSync } from "node:child_process";
import { readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, type Project } from "../test-support/project.js";
import { startServer } from "../test-support/server.js";
import { killWhileWriting, type Write, UNBLOCKED_MS, writeFromMany } from "../test-support/stress.js";
import { plant } from "./state/calling.js";

const EXISTING = "# Notepad\n\n## Priority Context\nold\n\n## Working Memory\n\n## MANUAL\n";
const PROCESSES = { servers: 8, each: 25 };
const all = Array.from({ length: PROCESSES.servers * PROCESSES.each }, (_, number) => number);

const entryWriter =
  (tool: string): Write =>
  (server, number) =>
    server.call(tool, { content: `entry <${number}>` });

async function numbersIn({ omc }: Project): Promise<number[]> {
  const file = await readFile(join(omc, "notepad.md"), "utf8");
  return [...file.matchAll(/^entry <(\d+)>$/gm)].map((match) => Number(match[1])).toSorted((a, b) => a - b);
}

describe.each([undefined, EXISTING])("eight servers writing at once, file before: %j", (before) => {
  it.each(["notepad_write_working", "notepad_write_manual"])("%s loses and fails nothing", async (tool) => {
    const project = await makeProject();
    if (before !== undefined) await plant(join(project.omc, "notepad.md"), before);
    const { written, failures } = await writeFromMany(project, PROCESSES, entryWriter(tool));
    expect(failures).toEqual([]);
    expect(written).toEqual(all);
    expect(await numbersIn(project)).toEqual(all);
  });

  it("the other tools do not disturb", async () => {
    const project = await makeProject();
    if (before !== undefined) await plant(join(project.omc, "notepad.md"), before);
    const { failures } = await writeFromMany(project, PROCESSES, async (server, number) => {
      if (number % 3 === 1) return server.call("notepad_write_priority", { content: `priority <${number}>` });
      if (number % 3 === 2) return server.call("notepad_prune", { daysOld: 1 });
      return server.call(number % 2 === 0 ? "notepad_write_working" : "notepad_write_manual", { content: `entry <${number}>` });
    });
    expect(failures).toEqual([]);
    expect(await numbersIn(project)).toEqual(all.filter((number) => number % 3 === 0));
    const file = await readFile(join(project.omc, "notepad.md"), "utf8");
    expect(file.match(/^priority <\d+>$/gm)).toHaveLength(1);
    expect(file.match(/^## .*/gm)).toEqual(["## Priority Context", "## Working Memory", "## MANUAL"]);
    expect(await readdir(project.omc)).toEqual(["notepad.md"]);
  });
});

describe("after a kill", () => {
  it("the file is whole, what was answered is in it, and the next call neither fails nor waits", async () => {
    const project = await makeProject();
    await killWhileWriting(project, 20, entryWriter("notepad_write_working"), async ({ answered, refused, next }) => {
      expect(refused).toEqual([]);
      expect(next).toMatchObject({ isError: false });
      expect(next.elapsed).toBeLessThan(UNBLOCKED_MS);
      const there = new Set(await numbersIn(project));
      expect(answered.filter((number) => !there.has(number))).toEqual([]);
      expect(await readFile(join(project.omc, "notepad.md"), "utf8")).toMatch(/\n## MANUAL\n<!-- .* -->\n$/);
    });
    expect(await readdir(project.omc)).toEqual(["notepad.md"]);
  });

  it("a lock of a process that is gone does not block, whoever left it", async () => {
    const project = await makeProject();
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    const server = await startServer(project);
    for (const body of [JSON.stringify({ pid: dead, timestamp: Date.now() }), "", '{"pid":']) {
      await plant(join(project.omc, "notepad.md.lock"), body);
      const before = performance.now();
      expect(await server.call("notepad_write_manual", { content: "x" })).toMatchObject({ isError: false });
      expect(performance.now() - before).toBeLessThan(UNBLOCKED_MS);
    }
    expect(await readdir(project.omc)).toEqual(["notepad.md"]);
  });
});

describe("while a lock is held by another", () => {
  it("the server goes on answering, and writes when the lock is free", async () => {
    const project = await makeProject();
    const server = await startServer(project);
    await server.call("notepad_write_manual", { content: "first" });
    const { pid } = process;
    const lock = await plant(join(project.omc, "notepad.md.lock"), { pid, timestamp: Date.now() });
    const waiting = server.call("notepad_write_manual", { content: "second" });
    let over = false;
    void waiting.then(() => (over = true));
    for (let pings = 0; pings < 10; pings++) await server.request("ping");
    expect((await server.call("notepad_read", { section: "manual" })).text).not.toContain("second");
    expect(over).toBe(false);
    await unlink(lock);
    expect(await waiting).toMatchObject({ isError: false });
  });
});

describe("age is the same everywhere", () => {
  it.each(["Asia/Tokyo", "America/Los_Angeles", "UTC"])("with TZ=%s", async (TZ) => {
    const project = await makeProject();
    const stamp = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString().slice(0, 16).replace("T", " ");
    const entries = [30, 25, 23, 17].map((hours) => `### ${stamp(hours)}\n${hours} hours old\n`);
    await plant(join(project.omc, "notepad.md"), `## Working Memory\n${entries.join("")}`);
    const server = await startServer({ ...project, env: { TZ } });
    expect((await server.call("notepad_prune", { daysOld: 1 })).text).toContain("- Pruned: 2 entries\n- Remaining: 2 entries");
    await server.call("notepad_write_working", { content: "new" });
    const { text } = await server.call("notepad_read", { section: "working" });
    expect(text.match(/^.* hours old$/gm)).toEqual(["23 hours old", "17 hours old"]);
    const written = Date.parse(`${/### (\S+ \S+)\nnew$/.exec(text)?.[1]}Z`);
    expect(Math.abs(Date.now() - written)).toBeLessThan(120_000);
  });
});
