/** A long search in a real server: other calls are answered meanwhile, and it ends when it is no longer wanted. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject, type Project } from "../../test-support/project.js";
import { startServer } from "../../test-support/server.js";
import { transcriptFolder } from "./scope.js";
import type { SearchAnswer } from "./search.js";

const FILES = 8;
const LINES = 4_000;

/** Some 40 MB of transcripts in which every line matches `needle`. */
async function manyTranscripts(): Promise<Project> {
  const project = await makeProject();
  const folder = join(project.home, ".claude", "projects", transcriptFolder(project.root));
  await mkdir(folder, { recursive: true });
  const text = `a needle — ${"in much hay\n".repeat(90)}`;
  for (let file = 0; file < FILES; file++) {
    const line = JSON.stringify({ type: "user", sessionId: `s${file}`, cwd: project.root, timestamp: "2026-01-01T00:00:00Z", message: { role: "user", content: text } });
    await writeFile(join(folder, `s${file}.jsonl`), `${line}\n`.repeat(LINES));
  }
  return project;
}

it("answers other calls while it searches, also when several do", async () => {
  const server = await startServer(await manyTranscripts());
  const order: string[] = [];
  const searches = Promise.all(
    [1, 2, 3].map(async () => {
      const { text } = await server.call("session_search", { query: "needle" });
      order.push("search");
      return JSON.parse(text) as SearchAnswer;
    }),
  );
  for (let round = 0; round < 3; round++) {
    await server.request("ping");
    order.push("ping");
  }
  expect(order).toEqual(["ping", "ping", "ping"]);
  for (const { totalMatches, searchedFiles } of await searches) expect({ totalMatches, searchedFiles }).toEqual({ totalMatches: FILES * LINES, searchedFiles: FILES });
  expect(server.noise).toEqual([]);
});

it("stops when the call is cancelled, and when the client is gone", async () => {
  const server = await startServer(await manyTranscripts());
  const answered: string[] = [];
  void server.request("tools/call", { name: "session_search", arguments: { query: "needle" } }, "unwanted").then(
    () => answered.push("unwanted"),
    () => {},
  );
  await server.request("ping");
  server.notify("notifications/cancelled", { requestId: "unwanted" });
  const { text } = await server.call("session_search", { query: "nothing of the kind" });
  expect((JSON.parse(text) as SearchAnswer).totalMatches).toBe(0);
  expect(answered).toEqual([]);
  void server.request("tools/call", { name: "session_search", arguments: { query: "needle" } }).catch(() => {});
  await server.request("ping");
  expect(await server.closeInput()).toMatchObject({ code: 0 });
});
