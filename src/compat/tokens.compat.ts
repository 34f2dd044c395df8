/** The same calls on both servers: what callers look for in the answers of the reference is in ours as well. */
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { ToolAnswer } from "../test-support/server.js";
import type { Case, Step } from "./case.js";
import { allCases } from "./cases/all.js";
import { startTwins, type Twin, withoutPlaces } from "./twins.js";

describe.each(allCases)("$name", ({ steps, ...options }: Case) => {
  test("has the same tokens", async () => {
    const { ours, reference } = await startTwins(options);
    for (const [index, step] of steps.entries()) {
      const where = `step ${index + 1}, ${step.tool}`;
      check(await askReference(reference, step), step.tokens, step.fails ?? false, `the reference, ${where}`);
      const tokens = step.ours?.tokens ?? step.tokens;
      check(await ask(ours, step), tokens, step.ours?.fails ?? step.fails ?? false, `ours, ${where}`);
    }
  });
});

/** Asks until the answer is what it should be, five times at most where that is allowed. */
async function askReference(twin: Twin, step: Step): Promise<ToolAnswer> {
  const answer = await ask(twin, step);
  for (let again = 0; step.again === true && again < 4 && !fits(answer, step); again++) {
    await setTimeout(1_000);
    Object.assign(answer, await ask(twin, step));
  }
  return answer;
}

function fits({ text, isError }: ToolAnswer, { tokens, fails = false }: Step): boolean {
  return isError === fails && tokens.every((token) => pattern(token).test(text));
}

async function ask(twin: Twin, { tool, args }: Step): Promise<ToolAnswer> {
  const placed = JSON.parse(JSON.stringify(args ?? {}).replaceAll("<project>", twin.project.root)) as Record<string, unknown>;
  return withoutPlaces(await twin.server.call(tool, placed), twin);
}

function check({ text, isError }: ToolAnswer, tokens: readonly (string | RegExp)[], fails: boolean, where: string): void {
  expect(isError, `${where}: ${text}`).toBe(fails);
  for (const token of tokens) expect(text, where).toMatch(pattern(token));
}

function pattern(token: string | RegExp): RegExp {
  return typeof token === "string" ? literally(token) : token;
}

function literally(token: string): RegExp {
  return new RegExp(token.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
}
