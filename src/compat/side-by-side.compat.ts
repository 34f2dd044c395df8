/** Both servers at once on one repository: what either said it wrote is there afterwards. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeProject } from "../test-support/project.js";
import type { TestServer, ToolAnswer } from "../test-support/server.js";
import { startOne } from "./twins.js";

/** Calls of each server, all answered with success, or the texts of those that were not. */
async function both(each: number, call: (server: TestServer, number: number) => Promise<ToolAnswer>, root = makeProject()): Promise<{ written: number[]; failures: string[]; omc: string }> {
  const project = await root;
  const servers = await Promise.all([startOne("ours", project), startOne("reference", project), startOne("ours", project)]);
  const written: number[] = [];
  const failures: string[] = [];
  await Promise.all(
    servers.map(async (server, which) => {
      for (let turn = 0; turn < each; turn++) {
        const number = which * each + turn;
        const { isError, text } = await call(server, number);
        if (isError || text.startsWith("Failed")) failures.push(`${which === 1 ? "reference" : "ours"}: ${text}`);
        else written.push(number);
      }
    }),
  );
  return { written, failures, omc: project.omc };
}

/** No call of ours may fail; the reference gives up waiting for a lock sooner. */
function oursNeverFailed(failures: string[]): void {
  expect(failures.filter((failure) => failure.startsWith("ours"))).toEqual([]);
}

describe("both servers on one repository", () => {
  // The reference creates the file without the lock, and so may replace a first note by an empty notepad (see below).
  test("notes", async () => {
    const project = makeProject();
    const first = await startOne("ours", await project);
    await first.call("notepad_write_priority", { content: "first" });
    const { written, failures, omc } = await both(20, (server, number) => server.call("notepad_write_working", { content: `note-${number}-end` }), project);
    oursNeverFailed(failures);
    const text = await readFile(join(omc, "notepad.md"), "utf8");
    for (const number of written) expect(text).toContain(`note-${number}-end`);
  });

  test.each([
    { who: "ours", creates: false },
    { who: "reference", creates: true },
  ] as const)("a notepad that is not there while another process has its lock: $who", async ({ who, creates }) => {
    const project = await makeProject();
    const path = join(project.omc, "notepad.md");
    await mkdir(project.omc, { recursive: true });
    await writeFile(`${path}.lock`, JSON.stringify({ pid: process.pid, timestamp: Date.now() }));
    const server = await startOne(who, project);
    const { text } = await server.call("notepad_write_working", { content: "note" });
    expect(text).toMatch(/^Failed to /);
    expect(await readdir(project.omc)).toEqual(creates ? ["notepad.md", "notepad.md.lock"] : ["notepad.md.lock"]);
  });

  test("notes of project memory", async () => {
    const project = makeProject();
    const first = await startOne("ours", await project);
    await first.call("project_memory_write", { memory: { build: { buildCommand: "make" } } });
    const { written, failures, omc } = await both(6, (server, number) => server.call("project_memory_add_note", { category: "c", content: `note-${number}` }), project);
    oursNeverFailed(failures);
    const { customNotes, build } = JSON.parse(await readFile(join(omc, "project-memory.json"), "utf8")) as { customNotes: { content: string }[]; build: unknown };
    expect(build).toEqual({ buildCommand: "make" });
    expect(customNotes.map(({ content }) => content).toSorted()).toEqual(written.map((number) => `note-${number}`).toSorted());
  });

  test("fields of one team state", async () => {
    const session_id = "side-by-side";
    const { written, failures, omc } = await both(8, (server, number) => server.call("state_write", { mode: "team", session_id, state: { [`k${number}`]: number } }));
    oursNeverFailed(failures);
    const state = JSON.parse(await readFile(join(omc, "state", "sessions", session_id, "team-state.json"), "utf8")) as Record<string, unknown>;
    for (const number of written) expect(state[`k${number}`]).toBe(number);
  });

  test("entries of shared memory", async () => {
    const { written, failures, omc } = await both(15, (server, number) => server.call("shared_memory_write", { key: `k${number}`, namespace: "ns", value: number }));
    oursNeverFailed(failures);
    for (const number of written) {
      const entry = JSON.parse(await readFile(join(omc, "state", "shared-memory", "ns", `k${number}.json`), "utf8")) as { value: number };
      expect(entry.value).toBe(number);
    }
  });

  test("pages of the wiki", async () => {
    const { written, failures, omc } = await both(10, (server, number) => server.call("wiki_add", { title: `Page ${number}`, content: `body ${number}` }));
    oursNeverFailed(failures);
    const index = await readFile(join(omc, "wiki", "index.md"), "utf8");
    for (const number of written) {
      expect(await readFile(join(omc, "wiki", `page-${number}.md`), "utf8")).toContain(`body ${number}`);
      expect(index).toContain(`(page-${number}.md)`);
    }
  });
});
