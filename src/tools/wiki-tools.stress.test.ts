/** The wiki through real servers: many at once, killed ones, locks of others, and thousands of pages. */
import { spawnSync } from "node:child_process";
import { readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inBatches } from "../lib/batches.js";
import { makeProject, type Project } from "../test-support/project.js";
import { startServer } from "../test-support/server.js";
import { killWhileWriting, type Write, UNBLOCKED_MS, writeFromMany } from "../test-support/stress.js";
import { plant } from "./state/calling.js";

const PROCESSES = { servers: 6, each: 15 };
const all = Array.from({ length: PROCESSES.servers * PROCESSES.each }, (_, number) => number);

function ingest(titleOf: (number: number) => string): Write {
  return (server, number) =>
    server.call("wiki_ingest", { title: titleOf(number), content: `entry <${number}>`, tags: [`t${number % 10}`], category: "reference" });
}

async function pageNames({ omc }: Project): Promise<string[]> {
  return (await readdir(join(omc, "wiki"))).filter((name) => name.endsWith(".md") && name !== "index.md" && name !== "log.md").sort();
}

async function numbersIn(project: Project): Promise<number[]> {
  const texts = await Promise.all((await pageNames(project)).map((name) => readFile(join(project.omc, "wiki", name), "utf8")));
  return [...texts.join("\n").matchAll(/^entry <(\d+)>$/gm)].map((match) => Number(match[1])).toSorted((a, b) => a - b);
}

async function indexed({ omc }: Project): Promise<string[]> {
  const index = await readFile(join(omc, "wiki", "index.md"), "utf8");
  return [...index.matchAll(/\]\(([^)]+)\) — /g)].map((match) => match[1] as string).sort();
}

describe("six servers writing at once", () => {
  it.each([
    ["one page", () => "Shared"],
    ["pages of their own", (number: number) => `Page ${number}`],
    ["titles with one name", (number: number) => (number % 2 === 0 ? "認証 JWT" : `${"署名".repeat(1 + (number % 5))} JWT`)],
  ])("lose nothing in %s", async (_what, titleOf) => {
    const project = await makeProject();
    const { written, failures } = await writeFromMany(project, PROCESSES, ingest(titleOf));
    expect(failures).toEqual([]);
    expect(written).toEqual(all);
    expect(await numbersIn(project)).toEqual(all);
    expect((await pageNames(project)).length).toBe(new Set(all.map(titleOf)).size);
    expect(await indexed(project)).toEqual(await pageNames(project));
    const log = await readFile(join(project.omc, "wiki", "log.md"), "utf8");
    expect(log.match(/^## \[.*\] ingest$/gm)).toHaveLength(all.length);
    expect((await readdir(join(project.omc, "wiki"))).filter((name) => !name.endsWith(".md"))).toEqual([]);
  });

  it("add a page once", async () => {
    const project = await makeProject();
    const { written, failures } = await writeFromMany(project, { servers: 6, each: 1 }, (server, number) =>
      server.call("wiki_add", { title: "Only one", content: `entry <${number}>` }),
    );
    expect(written).toHaveLength(1);
    expect(failures).toHaveLength(5);
    for (const text of failures) expect(text).toContain("already exists");
    expect(await numbersIn(project)).toEqual(written);
  });
});

describe("after a kill", () => {
  it("pages are whole, what was answered is there, and the next change heals the index", async () => {
    const project = await makeProject();
    const wiki = join(project.omc, "wiki");
    await killWhileWriting(project, 15, ingest((number) => `Page ${number % 7}`), async ({ answered, refused, next }) => {
      expect(refused).toEqual([]);
      expect(next).toMatchObject({ isError: false });
      expect(next.elapsed).toBeLessThan(UNBLOCKED_MS);
      const there = new Set(await numbersIn(project));
      expect(answered.filter((number) => !there.has(number))).toEqual([]);
      expect(await indexed(project)).toEqual(await pageNames(project));
      for (const name of await pageNames(project)) expect(await readFile(join(wiki, name), "utf8")).toMatch(/^---\ntitle: "[^]*\n---\n\n# Page \d\n[^]*\n$/);
    });
    expect((await readdir(wiki)).filter((name) => name.includes(".lock"))).toEqual([]);
  });
});

describe("the lock of the reference", () => {
  const lockOf = ({ omc }: Project) => join(omc, "wiki", ".wiki-lock.lock");

  it("is waited for, while the server goes on answering", async () => {
    const project = await makeProject();
    const server = await startServer(project);
    const lock = await plant(lockOf(project), { pid: process.pid, timestamp: Date.now() });
    let over = false;
    const waiting = server.call("wiki_add", { title: "A", content: "x" });
    void waiting.then(() => (over = true));
    for (let pings = 0; pings < 10; pings++) await server.request("ping");
    for (const name of ["wiki_query", "wiki_list", "wiki_lint"]) expect(await server.call(name, { query: "x" })).toMatchObject({ isError: false });
    expect(over).toBe(false);
    await unlink(lock);
    expect(await waiting).toMatchObject({ isError: false });
  });

  it("does not block when its process is gone", async () => {
    const project = await makeProject();
    const server = await startServer(project);
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    for (const body of [JSON.stringify({ pid: dead, timestamp: Date.now() }), '{"pid":']) {
      await plant(lockOf(project), body);
      const before = performance.now();
      expect(await server.call("wiki_ingest", { title: "A", content: "x", tags: [], category: "reference" })).toMatchObject({ isError: false });
      expect(performance.now() - before).toBeLessThan(UNBLOCKED_MS);
    }
  });
});

describe("a wiki of 2,000 pages", () => {
  it("is searched, listed, checked and added to, and the server answers meanwhile", async () => {
    const project = await makeProject();
    const numbers = Array.from({ length: 2_000 }, (_, number) => number);
    const text = "Words about 認証方式 and modules. [[Page 3]] ".repeat(60);
    await inBatches(numbers, (number) =>
      plant(join(project.omc, "wiki", `page-${number}.md`), `---\ntitle: "Page ${number}"\ntags: ["t"]\ncategory: reference\n---\n\n# Page ${number}\n\n${text}\n`),
    );
    const server = await startServer(project);
    const calls = [
      server.call("wiki_query", { query: "認証 modules", limit: 50 }),
      server.call("wiki_list"),
      server.call("wiki_lint"),
      server.call("wiki_ingest", { title: "Page 7", content: "more", tags: [], category: "reference" }),
    ];
    const work = { over: false };
    void Promise.all(calls).then(() => (work.over = true));
    let slowest = 0;
    while (!work.over) {
      const before = performance.now();
      await server.request("ping");
      slowest = Math.max(slowest, performance.now() - before);
    }
    expect(slowest).toBeLessThan(5_000);
    const answers = await Promise.all(calls);
    for (const { isError, text } of answers) {
      expect(isError).toBe(false);
      expect(text.length).toBeLessThan(110_000);
    }
    expect(answers[0]?.text.match(/^### /gm)).toHaveLength(50);
    expect(answers[1]?.text).toContain("> 2000 pages |");
    expect((await indexed(project)).length).toBe(2_000);
  });
});
