/** Language servers and the life of the server process: none outlives it, and none disturbs it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRunning } from "../lib/process-owner.js";
import type { FakeScript } from "../test-support/fake-language-server.js";
import { type FakeProject, startFakeProject } from "../test-support/fake-project.js";
import { eventually } from "../test-support/fake-workspace.js";
import { temporaryFolder } from "../test-support/folders.js";

const HOVER = { file: "main.lua", line: 1, character: 0 };
const STUBBORN: FakeScript = { ignoreTerm: true, ignoreExit: true, hang: ["shutdown"] };

async function startedIds({ fake }: FakeProject): Promise<number[]> {
  return (await fake.heard()).flatMap(({ started }) => started ?? []);
}

async function allGone(pids: readonly number[]): Promise<void> {
  for (const pid of pids) await eventually(async () => expect(await isRunning({ pid })).toBe(false));
}

test.each(["SIGTERM", "SIGINT"] as const)("%s ends servers that will not go, with what they started, before the deadline", async (signal) => {
  const child = join(await temporaryFolder("omc-child-"), "pid");
  const project = await startFakeProject({ ...STUBBORN, child });
  expect((await project.server.call("lsp_hover", HOVER)).isError).toBe(false);
  const pids = [...(await startedIds(project)), Number(await readFile(child, "utf8"))];
  expect(await project.server.kill(signal)).toEqual({ code: 0, signal: null });
  await allGone(pids);
});

test("the end of stdin ends a server that is still starting", async () => {
  const project = await startFakeProject({ ...STUBBORN, hang: ["initialize", "shutdown"] });
  const asked = project.server.call("lsp_hover", HOVER).catch(() => {});
  await eventually(async () => expect(await startedIds(project)).toHaveLength(1));
  expect((await project.server.closeInput()).code).toBe(0);
  await asked;
  await allGone(await startedIds(project));
});

test.each([
  ["obedient", {}],
  ["stubborn", STUBBORN],
])("a server that is killed takes %s ones with it", async (_, script) => {
  const project = await startFakeProject(script);
  await project.server.call("lsp_hover", HOVER);
  await project.server.kill("SIGKILL");
  await allGone(await startedIds(project));
});

test("SIGHUP ends nothing", async () => {
  const project = await startFakeProject({});
  const before = await project.server.call("lsp_hover", HOVER);
  process.kill(project.server.pid, "SIGHUP");
  expect(await project.server.call("lsp_hover", HOVER)).toEqual(before);
  expect(await startedIds(project)).toHaveLength(1);
});

test("while one server hangs and another floods, other calls are answered", async () => {
  const script: FakeScript = { hang: ["textDocument/hover"], noise: { "textDocument/documentSymbol": "notifications" } };
  const project = await startFakeProject(script, { OMC_LSP_TIMEOUT_MS: "5000" });
  const hanging = project.server.call("lsp_hover", HOVER);
  const flooding = project.server.call("lsp_document_symbols", { file: "main.lua" });
  const before = Date.now();
  expect((await project.server.call("lsp_servers", {})).isError).toBe(false);
  expect((await project.server.call("notepad_stats", {})).isError).toBe(false);
  expect(Date.now() - before).toBeLessThan(5_000);
  expect((await flooding).isError).toBe(true);
  expect((await hanging).text).toContain("timed out after 5000 ms");
});

test("a crash is told to the model with its reason", async () => {
  const { server } = await startFakeProject({ crash: ["textDocument/hover"] });
  expect(await server.call("lsp_hover", HOVER)).toEqual({
    text: "Error in hover: Lua Language Server exited (code 3); its last words:\nfatal: the fake gave up",
    isError: true,
  });
});
