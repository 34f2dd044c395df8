/** The end of stdin, or a signal, while every family that starts programs is in the middle of its work. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { installFake } from "../test-support/fake-language-server.js";
import { descendantsOf, waitUntilGone } from "../test-support/processes.js";
import { makeProject } from "../test-support/project.js";
import { startServer, type TestServer } from "../test-support/server.js";

const DEADLINE_MS = 5_000;

const ENDS: readonly [how: string, end: (server: TestServer) => Promise<unknown>, code: number | null][] = [
  ["the end of its input", (server) => server.closeInput(), 0],
  ["SIGTERM", (server) => server.kill("SIGTERM"), 0],
  ["SIGINT", (server) => server.kill("SIGINT"), 0],
];

test.each(ENDS)("nothing is left after %s in the middle of work", async (_how, end, code) => {
  const project = await makeProject();
  const fake = await installFake("lua-language-server", { hang: ["textDocument/hover"], ignoreTerm: true, ignoreExit: true });
  await writeFile(join(project.root, "a.lua"), "local a = 1\n");
  await writeFile(join(project.root, "a.ts"), "foo(1);\n".repeat(2_000));
  const mark = `OMC_TEST_MARK=${project.folder}`;
  const env = { PATH: fake.path, NODE_PATH: fileURLToPath(new URL("../node_modules", import.meta.url)), OMC_TEST_MARK: project.folder };
  const server = await startServer({ ...project, env });

  const work = [
    server.call("lsp_hover", { file: "a.lua", line: 1, character: 6 }),
    server.call("python_repl", { action: "execute", researchSessionID: "ending", code: "import subprocess, sys\nsubprocess.Popen(['sleep', '600'])\nwhile True: pass" }),
    server.call("ast_grep_search", { pattern: "foo($A)", language: "typescript" }),
    server.call("notepad_write_working", { content: "still written" }),
  ].map((call) => call.catch(() => "ended"));
  await work.at(-1);
  await untilStarted(fake, "textDocument/hover");
  const started = new Set([...(await descendantsOf(server.pid)), ...(await marked(mark))]);
  started.delete(server.pid);
  expect(started.size).toBeGreaterThan(0);

  const before = performance.now();
  await end(server);
  expect(performance.now() - before).toBeLessThan(DEADLINE_MS + 1_000);
  expect((await server.exited).code).toBe(code);
  await waitUntilGone([...started], DEADLINE_MS);
  await waitUntilGone(await marked(mark), DEADLINE_MS);
});

async function untilStarted(fake: { heard(): Promise<{ method?: string }[]> }, method: string): Promise<void> {
  while (!(await fake.heard()).some((heard) => heard.method === method)) await setTimeout(20);
}

/** Processes that have this line in their environment: those whose parents are gone, too. Linux only. */
async function marked(line: string): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const environment = await readFile(join("/proc", name, "environ"), "utf8").catch(() => "");
    if (environment.split("\0").includes(line)) pids.push(Number(name));
  }
  return pids;
}
