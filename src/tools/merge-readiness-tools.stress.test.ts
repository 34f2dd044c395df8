/** Readiness gates in real servers: many at once, and killed at work. No attempt and no answer may be lost. */
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { makeProject } from "../test-support/project.js";
import { startServer, type TestServer, type ToolAnswer } from "../test-support/server.js";
import { killWhileWriting, UNBLOCKED_MS, writeFromMany } from "../test-support/stress.js";
import { content, FILE, gateFile, gateIn, makeChange, question, SESSION } from "./merge-readiness/asking.js";
import { DIMENSIONS } from "./merge-readiness/request.js";
import { plant } from "./state/calling.js";

const start = (server: TestServer, summary: string) => server.call("merge_readiness_start", { summary, session_id: SESSION });
const cancel = (server: TestServer) => server.call("merge_readiness_cancel", { session_id: SESSION });

async function changedProject() {
  const project = await makeProject();
  await makeChange(project);
  return project;
}

describe("eight servers at once", () => {
  test("start one gate; the others are told of it, and earlier attempts stay", async () => {
    const project = await changedProject();
    await plant(gateFile(project), { active: true, result: "paused", change_summary: "earlier", questions: [], answers: [] });
    const { written, failures } = await writeFromMany(project, { servers: 8, each: 1 }, (server, number) => start(server, `try ${number}`));
    expect(written).toHaveLength(1);
    expect(failures).toHaveLength(7);
    for (const failure of failures) expect(failure).toContain("still in progress");
    const { change_summary, prior_attempts } = await gateIn(project);
    expect(change_summary).toBe(`try ${written[0]}`);
    expect(prior_attempts).toMatchObject([{ change_summary: "earlier", result: "paused" }]);
    expect(await readdir(dirname(gateFile(project)))).toEqual([FILE]);
  });

  test("start and cancel: every attempt is on record", async () => {
    const project = await changedProject();
    const started: string[] = [];
    const { failures } = await writeFromMany(project, { servers: 8, each: 2 }, async (server, number) => {
      let answer = await start(server, `try ${number}`);
      while (answer.isError && answer.text.includes("still in progress")) answer = await start(server, `try ${number}`);
      if (answer.isError) return answer;
      started.push(`try ${number}`);
      return cancel(server);
    });
    expect(failures).toEqual([]);
    const { change_summary, prior_attempts } = (await gateIn(project)) as { change_summary: string; prior_attempts: { change_summary: string }[] };
    expect([...prior_attempts.map((attempt) => attempt.change_summary), change_summary]).toEqual(started);
  });

  test("answer: each question is answered once", async () => {
    const project = await changedProject();
    const server = await startServer(project);
    const questions = Array.from({ length: 8 }, (_, at) => question(DIMENSIONS[at % 5] as string, `q${at}`));
    await start(server, "--deep x");
    expect(await server.call("merge_readiness_set_content", content({ questions }))).toMatchObject({ isError: false });
    const { written } = await writeFromMany(project, { servers: 8, each: 8 }, (each, number) => answerInTurn(each, `q${number % 8}`));
    expect(written.map((number) => number % 8).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const gate = await gateIn(project);
    expect(gate).toMatchObject({ result: "pass", readiness_score: 1 });
    expect(new Set((gate["answers"] as { questionId: string }[]).map(({ questionId }) => questionId)).size).toBe(8);
  });
});

/** Waits for its question's turn, and answers unless somebody else has. */
async function answerInTurn(server: TestServer, questionId: string): Promise<ToolAnswer> {
  for (;;) {
    const answer = await server.call("merge_readiness_record_answer", { questionId, optionId: "yes", session_id: SESSION });
    const next = /the next question is '(q\d)'/.exec(answer.text)?.[1];
    if (next === undefined || next >= questionId) return answer;
  }
}

test("a killed server leaves no torn gate and blocks nobody", async () => {
  const project = await changedProject();
  const startOrCancel = async (server: TestServer, number: number): Promise<ToolAnswer> => {
    const answer = await start(server, `try ${number}`);
    return answer.isError && answer.text.includes("still in progress") ? cancel(server) : answer;
  };
  await killWhileWriting(project, 8, startOrCancel, async ({ refused, next }) => {
    expect(refused).toEqual([]);
    expect(next).toMatchObject({ isError: false });
    expect(next.elapsed).toBeLessThan(UNBLOCKED_MS);
    expect(await gateIn(project)).toMatchObject({ session_id: SESSION, result: expect.stringMatching(/^(pending|cancelled)$/) });
    expect(await readdir(dirname(gateFile(project)))).toEqual([FILE]);
  });
  expect(((await gateIn(project))["prior_attempts"] as unknown[]).length).toBeLessThanOrEqual(20);
});
