/**
 * Calls that nobody would think of, of every tool that the server lists: each is answered in the shape that all answers
 * have, the server stays alive and quiet, and nothing changes outside of what is its own.
 *
 *     OMC_FUZZ_CALLS=1000 OMC_FUZZ_SEED=abc npx vitest run mcp/fuzz.test.ts -t wiki_add
 *
 * A seed gives the same calls again, as long as the schemas are the same. `make fuzz` does the long run.
 */
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { fuzzedArguments } from "../test-support/fuzz/arguments.js";
import { type Ground, makeGround, processesOf, SECRET, sentinels } from "../test-support/fuzz/ground.js";
import { Chance } from "../test-support/fuzz/random.js";
import { type Answer, startServer, TestServer } from "../test-support/server.js";
import type { JsonSchema } from "./json-schema.js";

const CALLS = Number(process.env["OMC_FUZZ_CALLS"] ?? 40);
const SEED = process.env["OMC_FUZZ_SEED"] ?? "1";
/** How many calls are under way at once. */
const LANES = 4;
const ANSWER_WITHIN_MS = 20_000;
/** Tools that may change the project's sources, or run what they are given. */
const EDITS_SOURCES = /^(ast_grep_replace|lsp_|python_repl)/;
/** Tools that read any file they are told to, unless the security settings confine them. */
const READS_ANY_FILE = /^(ast_|lsp_)/;
/** Code may read what its user may. */
const RUNS_CODE = /^python_repl/;
/** Tools that heed the security settings. */
const CONFINABLE = /^(ast_|lsp_|python_repl|.*_skills)/;
/** Unconfined it edits whatever file it is told to, by its contract. */
const ONLY_CONFINED = "ast_grep_replace";

interface Tool {
  name: string;
  inputSchema: JsonSchema;
}

const tools = await listedTools();

describe.each([
  ["as it is", {}, tools.filter(({ name }) => name !== ONLY_CONFINED)],
  ["confined", { OMC_SECURITY: "strict" }, tools.filter(({ name }) => CONFINABLE.test(name))],
] as const)("%s", (_, security, subjects) => {
  it.each(subjects.map((tool) => [tool.name, tool] as const))(
    "%s",
    async (_name, tool) => {
      const ground = await makeGround();
      const server = await startServer({ ...ground, env: { ...ground.env, ...security } });
      const before = await sentinels(ground, EDITS_SOURCES.test(tool.name));
      const mayReadAnything = RUNS_CODE.test(tool.name) || (READS_ANY_FILE.test(tool.name) && !("OMC_SECURITY" in security));
      await manyCalls(server, tool, ground, mayReadAnything);
      expect((await server.request("ping")).result).toBeDefined();
      expect((await listed(server)).length).toBe(tools.length);
      expect(await server.closeInput()).toEqual({ code: 0, signal: null });
      await expect.poll(() => processesOf(ground)).toEqual([]);
      expect(server.noise).toEqual([]);
      expect(server.stderr).not.toMatch(STACK);
      expect(await sentinels(ground, EDITS_SOURCES.test(tool.name)), told(tool, "outside of its own")).toEqual(before);
    },
    60_000 + CALLS * 1_000,
  );
});

/** A line of a stack trace. */
const STACK = /^[ \t]+at .+:\d+:\d+\)?$/m;

async function manyCalls(server: TestServer, tool: Tool, ground: Ground, mayReadAnything: boolean): Promise<void> {
  const chance = new Chance(`${SEED} ${tool.name}`);
  let number = 0;
  const lane = async () => {
    while (number < CALLS) {
      const id = `fuzz-${number++}`;
      const args = fuzzedArguments(tool.inputSchema, ground, chance);
      const { text, what } = await oneCall(server, tool, id, args);
      if (!mayReadAnything) expect(text, what).not.toContain(SECRET);
      if (number % 50 === 0) await server.request("ping");
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function oneCall(server: TestServer, tool: Tool, id: string, args: string | undefined): Promise<{ text: string; what: string }> {
  const what = told(tool, `${id} ${(args ?? "without arguments").slice(0, 3_000)}`);
  const sent = performance.now();
  const params = `{"name":"${tool.name}"${args === undefined ? "" : `,"arguments":${args}`}}`;
  const line = `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":${params}}`;
  const answer = await server.exchange(line, id).catch((error: Error) => {
    throw new Error(`${what}\n${error.message}`);
  });
  expect(performance.now() - sent, what).toBeLessThan(ANSWER_WITHIN_MS);
  expect(wrongShape(answer), what).toBeUndefined();
  const text = textOf(answer);
  expect(text, what).not.toMatch(STACK);
  expect(text, what).not.toContain("mcp-server.cjs");
  expect(text, what).not.toContain("internal error");
  return { text, what };
}

function told({ name }: Tool, what: string): string {
  return `OMC_FUZZ_SEED=${SEED} OMC_FUZZ_CALLS=${CALLS} ${name}: ${what}`;
}

/** What is wrong with an answer; undefined when nothing is. */
function wrongShape({ jsonrpc, result, error }: Answer): string | undefined {
  if (jsonrpc !== "2.0" || (result === undefined) === (error === undefined)) return "not one result or error";
  if (error !== undefined) return Number.isInteger(error.code) && error.message !== "" ? undefined : "not a JSON-RPC error";
  const { content, isError } = result as { content?: { type: string; text: unknown }[]; isError?: unknown };
  if (typeof isError !== "boolean") return "isError is no boolean";
  const [only] = Array.isArray(content) ? content : [];
  return content?.length === 1 && only?.type === "text" && typeof only.text === "string" ? undefined : "not one text";
}

function textOf({ result, error }: Answer): string {
  return error?.message ?? (result as { content: { text: string }[] }).content.map(({ text }) => text).join("\n");
}

async function listed(server: TestServer): Promise<Tool[]> {
  return (await server.request("tools/list")).result?.["tools"] as Tool[];
}

/** What the bundle under test lists. */
async function listedTools(): Promise<Tool[]> {
  const server = new TestServer({ root: tmpdir(), home: tmpdir() });
  try {
    await server.open();
    return await listed(server);
  } finally {
    await server.kill("SIGKILL");
  }
}
