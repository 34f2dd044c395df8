/** The readiness gate from start to verdict, and what its tools refuse. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { zodToJsonSchema } from "../mcp/json-schema.js";
import type { ToolDef } from "../mcp/tool-registry.js";
import { git, plainFolder } from "../test-support/project.js";
import { content, FILE, gateFile, gateIn, makeChange, question, QUICK, quickBut, SESSION, STANDARD } from "./merge-readiness/asking.js";
import { mergeReadinessTools } from "./merge-readiness-tools.js";
import { call, enter, enterProject, plant, readJson, text } from "./state/calling.js";

const tools = mergeReadinessTools as unknown as ToolDef[];
const start = (summary = "--quick ship it", more: object = {}) => call("merge_readiness_start", { summary, session_id: SESSION, ...more });
const answer = (questionId: string, optionId: string) => call("merge_readiness_record_answer", { questionId, optionId, session_id: SESSION });
const report = () => text("merge_readiness_report", { session_id: SESSION });

async function openGate(summary?: string, questions = QUICK) {
  const project = await enterProject();
  await makeChange(project);
  expect(await start(summary)).toMatchObject({ isError: false });
  expect(await call("merge_readiness_set_content", content({ questions }))).toMatchObject({ isError: false });
  return project;
}

describe("the tools", () => {
  test("are five, with the arguments and hints they always had, in few bytes", () => {
    const fields = tools.map((tool) => {
      const { properties, required } = zodToJsonSchema(tool.schema);
      for (const property of Object.values(properties)) expect(property["description"]).toMatch(/\S/);
      return [tool.name.replace("merge_readiness_", ""), Object.keys(properties).length, required, Object.values(tool.annotations)];
    });
    expect(fields).toEqual([
      ["start", 4, ["summary"], [false, false, false, false]],
      ["set_content", 8, ["why", "whatChanged", "tradeoffs", "risksConsidered", "teamUnderstanding", "questions"], [false, false, false, false]],
      ["record_answer", 4, ["questionId", "optionId"], [false, false, false, false]],
      ["report", 2, [], [true, false, true, false]],
      ["cancel", 2, [], [false, false, true, false]],
    ]);
    const listed = tools.map(({ name, description, schema, annotations }) => ({ name, description, inputSchema: zodToJsonSchema(schema), annotations }));
    expect(listed.reduce((sum, each) => sum + JSON.stringify(each).length, 0)).toBeLessThan(3_700);
  });

  const long = (length: number) => "x".repeat(length);
  const [first] = QUICK;
  test.each([
    ["start", { summary: long(2001) }, "summary"],
    ["start", { summary: "x", baseRef: long(201) }, "baseRef"],
    ["start", { summary: "x", baseRef: "--upload-pack=x" }, "baseRef"],
    ["start", { summary: "x", baseRef: "--output=/tmp/x" }, "baseRef"],
    ["start", { summary: "x", baseRef: "a b" }, "baseRef"],
    ["start", { summary: "x", baseRef: "" }, "baseRef"],
    ["start", {}, "summary"],
    ["set_content", content({ why: long(10_001) }), "why"],
    ["set_content", content({ questions: Array.from({ length: 9 }, (_, at) => question("why", `q${at}`)) }), "questions"],
    ["set_content", content({ questions: [{ ...first, id: long(101) }] }), "questions[0].id"],
    ["set_content", content({ questions: [{ ...first, dimension: "where" }] }), "questions[0].dimension"],
    ["set_content", content({ questions: [{ ...first, stem: long(2001) }] }), "questions[0].stem"],
    ["set_content", content({ questions: [{ ...first, rationale: long(2001) }] }), "questions[0].rationale"],
    ["set_content", content({ questions: [{ ...first, correctOptionId: undefined }] }), "questions[0].correctOptionId"],
    ["set_content", content({ questions: [{ ...first, options: [{ id: "a", text: "1" }] }] }), "questions[0].options"],
    ["set_content", content({ questions: [{ ...first, options: [{ id: "a", text: "1" }, { id: "b", text: long(1001) }] }] }), "questions[0].options[1].text"],
    ["record_answer", { questionId: long(101), optionId: "a" }, "questionId"],
    ["record_answer", { questionId: "a" }, "optionId"],
  ])("%s refuses a bad argument, and does nothing: %#", async (tool, args, field) => {
    const { omc } = await enterProject();
    const { isError, text: said } = await call(`merge_readiness_${tool}`, args);
    expect({ isError, said }).toEqual({ isError: true, said: expect.stringMatching(`(Invalid|Missing) ${field.replace(/[[\]]/g, "\\$&")}: expected`) });
    await expect(stat(omc)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test.each(["merge_readiness_report", "merge_readiness_cancel", "merge_readiness_start"])("%s refuses a session that cannot be one", async (tool) => {
    await enterProject();
    const refused = await call(tool, { summary: "x", session_id: "a/b" });
    expect(refused).toEqual({ isError: true, text: "Merge-readiness error: Invalid session ID: path traversal not allowed (a/b)" });
  });
});

describe("starting", () => {
  test("records the evidence and says what comes next", async () => {
    const project = await enterProject();
    await makeChange(project);
    const { text: said, isError } = await start("/merge-readiness --quick Ship it, now!");
    expect({ isError, said }).toEqual({ isError: false, said: expect.stringMatching(/^Merge-readiness started \(profile: quick, threshold: 0.7, max rounds: 3\)\.\nEvidence: 1 changed file, 0 artifacts/) });
    const gate = await gateIn(project);
    expect(gate).toMatchObject({
      active: true, session_id: SESSION, current_phase: "merge-readiness", phase: "content", profile: "quick", threshold: 0.7, max_rounds: 3,
      required_dimensions: ["why", "change", "risk"], rounds: [], questions: [], answers: [], awaiting_content: true, readiness_score: 0,
      dimension_scores: {}, result: "pending", why: "", change_summary: "Ship it, now!", slug: "ship-it-now", owner_pid: process.pid,
      evidence: { changedFiles: ["a.txt"], untrackedFiles: [], sourceArtifacts: [], testEvidence: [], reviewEvidence: [], missingEvidence: [], base_ref: "" },
      _meta: { mode: "merge-readiness", sessionId: SESSION, ownerPid: process.pid },
    });
    expect((await stat(gateFile(project))).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["x --from-pr 7", "--from-pr is not supported"],
    ["x --from-diff --from-artifacts", "exclude each other"],
    ["x --from-diff", "nothing has changed since HEAD. There is no upstream to compare with: pass baseRef to count the commits since then"],
    ["x --from-artifacts", ".omc has no results"],
    ["x", "nothing has changed since HEAD, and .omc has no results of tests or reviews and no state of a run. There is no upstream"],
  ])("%s without evidence is blocked, and recorded as such", async (summary, why) => {
    const project = await enterProject();
    const { isError, text: said } = await start(summary);
    expect({ isError, said }).toEqual({ isError: true, said: expect.stringMatching(/^Merge-readiness blocked: /) });
    expect(said).toContain(why);
    expect(await gateIn(project)).toMatchObject({ active: true, result: "blocked", awaiting_content: false, validation_errors: [expect.stringContaining(why)] });
    for (const refused of [await call("merge_readiness_set_content", content()), await answer("q", "a")]) {
      expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/no active gate that takes it: the last attempt is blocked \(.+\), .+; call merge_readiness_start for a new one\.$/) });
      expect(refused.text).toContain(why);
    }
    expect(await start(summary)).toMatchObject({ isError: true, text: expect.stringContaining("blocked") });
  });

  test("with untracked files alone says that they are not counted yet", async () => {
    const project = await enterProject();
    await plant(join(project.root, "src", "fix.ts"), "");
    expect((await start("x")).text).toContain(". Untracked files (src/fix.ts) are not counted until git add adds them. ");
    await Promise.all([1, 2, 3].map((at) => plant(join(project.root, `b${at}.ts`), "")));
    expect((await start("x --from-diff")).text).toContain("Untracked files (b1.ts, b2.ts, b3.ts, …) are not counted");
    await git(project.root, "add", "src");
    expect(await start("x")).toMatchObject({ isError: false });
  });

  test("without changes says of a base that it is none", async () => {
    await enterProject();
    const { text: said } = await start("x", { baseRef: "nobranch" });
    expect(said).toMatch(/^Merge-readiness blocked: nothing has changed since HEAD, and \.omc has no .+\. baseRef 'nobranch' names no commit here, so commits since then are not counted\.$/);
    expect((await start("x", { baseRef: "HEAD" })).text).toContain("nothing has changed since HEAD, and");
  });

  test("outside of git says that there is no repository", async () => {
    const { home } = await enterProject();
    enter(await plainFolder("omc-gate-"), home);
    expect((await start("x")).text).toMatch(/^Merge-readiness blocked: the folder is not in a git repository, so there is no diff, and \.omc has no results[^.]+\.$/);
    expect((await start("x --from-diff", { baseRef: "main" })).text).toBe("Merge-readiness blocked: the folder is not in a git repository, so there is no diff.");
  });

  test("may have artifacts for evidence", async () => {
    const { omc } = await enterProject();
    await plant(join(omc, "artifacts", "test-report.md"), "green");
    expect(await start("x --from-artifacts")).toMatchObject({ isError: false });
  });

  test("with a base that is no commit says what is missing", async () => {
    await makeChange(await enterProject());
    expect((await start("x", { baseRef: "nowhere" })).text).toContain("Missing evidence:\n- baseRef 'nowhere' names no commit here");
  });

  test("while an attempt is open changes nothing; afterwards keeps the record of it", async () => {
    const project = await openGate();
    const before = await readFile(gateFile(project), "utf8");
    expect(await start()).toMatchObject({ isError: true, text: expect.stringContaining("still in progress (0 of 3 questions are answered)") });
    expect(await readFile(gateFile(project), "utf8")).toBe(before);
    await text("merge_readiness_cancel", { session_id: SESSION });
    expect(await start("again")).toMatchObject({ isError: false });
    const { prior_attempts } = await gateIn(project);
    expect(prior_attempts).toEqual([expect.objectContaining({ result: "cancelled", cancel_owner: SESSION, questions: QUICK, profile: "quick", evidence_summary: expect.objectContaining({ changedFiles: ["a.txt"], sourceArtifactCount: 0 }) })]);
    expect(JSON.stringify(prior_attempts)).not.toContain("prior_attempts");
  });

  test("the newest 20 attempts are kept, fewer when they are very long", async () => {
    const project = await openGate();
    const attempts = Array.from({ length: 30 }, (_, at) => ({ slug: `try-${at}`, why: "x".repeat(at < 25 ? 0 : 1_000_000) }));
    await plant(gateFile(project), { ...(await gateIn(project)), result: "paused", slug: "last", prior_attempts: attempts.slice(0, 25) });
    await start();
    const slugs = async () => ((await gateIn(project))["prior_attempts"] as { slug: string }[]).map(({ slug }) => slug);
    expect(await slugs()).toEqual([...attempts.slice(6, 25).map(({ slug }) => slug), "last"]);
    await plant(gateFile(project), { ...(await gateIn(project)), result: "paused", slug: "last", prior_attempts: attempts });
    await start();
    expect(await slugs()).toEqual(["try-26", "try-27", "try-28", "try-29", "last"]);
  });

  test("an attempt that was abandoned while open does not keep others from starting", async () => {
    const project = await openGate();
    await plant(gateFile(project), { ...(await gateIn(project)), active: false });
    expect(await start()).toMatchObject({ isError: false });
  });
});

describe("content", () => {
  test.each([
    [{ why: " " }, "why is blank"],
    [{ questions: QUICK.slice(1) }, "profile quick takes exactly 3 questions, not 2; no question of dimension why"],
    [{ questions: [...QUICK, question("team")] }, "exactly 3 questions, not 4"],
    [{ questions: quickBut({ id: " q " }) }, "question id 'q' is used twice"],
    [{ questions: quickBut({ correctOptionId: "maybe" }) }, "questions[2].correctOptionId is none of its options"],
    [{ questions: quickBut({ stem: "\t" }) }, "questions[0].stem is blank"],
    [{ questions: quickBut({ options: [{ id: "yes", text: "1" }, { id: "yes", text: "2" }] }) }, "questions[0] has option id 'yes' twice"],
    [{ questions: quickBut({ options: [{ id: "yes", text: "1" }, { id: " ", text: " " }] }) }, "questions[1] has an option with a blank id; questions[1] has an option with a blank text"],
    [{ questions: quickBut({ id: "" }) }, "questions[2].id is blank"],
  ])("is rejected with all that is wrong: %#", async (changes, why) => {
    const project = await openGate();
    await answer("q-why", "yes");
    const { isError, text: said } = await call("merge_readiness_set_content", content(changes));
    expect({ isError, said }).toEqual({ isError: true, said: expect.stringContaining(`Merge-readiness content rejected: `) });
    expect(said).toContain(why);
    expect(await gateIn(project)).toMatchObject({ result: "pending", awaiting_content: true, answers: [], validation_errors: expect.arrayContaining([expect.any(String)]) });
    expect(await answer("q-change", "yes")).toMatchObject({ isError: true });
    expect(await call("merge_readiness_set_content", content())).toMatchObject({ isError: false });
    expect(await gateIn(project)).not.toHaveProperty("validation_errors");
  });

  test("set again drops the answers", async () => {
    const project = await openGate("--deep x", STANDARD);
    await answer("q-why", "yes");
    expect(await text("merge_readiness_set_content", content({ questions: STANDARD }))).toBe("Merge-readiness content accepted. Next question: q-why");
    expect(await gateIn(project)).toMatchObject({ answers: [], readiness_score: 0, dimension_scores: {}, pending_question: { id: "q-why" } });
  });

  test("and answers need an open gate", async () => {
    await enterProject();
    const none = expect.stringContaining("no active gate");
    expect(await call("merge_readiness_set_content", content())).toMatchObject({ isError: true, text: none });
    expect(await answer("q", "a")).toMatchObject({ isError: true, text: none });
    expect(await call("merge_readiness_cancel", {})).toMatchObject({ isError: true, text: none });
    expect(await call("merge_readiness_report", {})).toMatchObject({ isError: true });
  });
});

describe("answers", () => {
  test("enough right ones pass the gate", async () => {
    const project = await openGate("--deep x", [question("why", "extra"), ...STANDARD]);
    for (const id of ["extra", "q-why", "q-change", "q-tradeoff", "q-risk"]) {
      expect((await answer(id, "yes")).text).toMatch(/^Answer recorded\. Next question: q-\w+\. Answered: \d\/6\.$/);
    }
    expect((await answer(" q-team ", " yes ")).text).toMatch(/^Merge-readiness pass\. Readiness score: 1\. /);
    const gate = await gateIn(project);
    expect(gate).toMatchObject({ active: false, phase: "complete", result: "pass", readiness_score: 1, dimension_scores: { why: 1, team: 1 } });
    expect(gate).not.toHaveProperty("pending_question");
    expect(gate["completed_at"]).toBe(gate["updated_at"]);
    expect(await call("merge_readiness_cancel", { session_id: SESSION })).toMatchObject({ isError: true, text: expect.stringContaining("ended with pass") });
  });

  test("too few pause it; the score is told in two digits", async () => {
    const project = await openGate();
    await answer("q-why", "yes");
    await answer("q-change", "yes");
    expect((await answer("q-risk", "no")).text).toMatch(/^Merge-readiness paused\. Readiness score: 0\.67\. /);
    expect(await gateIn(project)).toMatchObject({ active: true, result: "paused", readiness_score: 2 / 3, dimension_scores: { why: 1, risk: 0 } });
  });

  test("do not tell whether they are right while more are to come", async () => {
    await openGate();
    const right = (await answer("q-why", "yes")).text;
    await text("merge_readiness_set_content", content());
    expect((await answer("q-why", "no")).text).toBe(right);
  });

  test.each([
    ["q-change", "yes", "the next question is 'q-why'"],
    ["none", "yes", "no active gate asks question 'none'"],
    ["q-why", "maybe", "its options are 'yes', 'no'"],
  ])("to %s of %s are rejected", async (id, option, why) => {
    const project = await openGate();
    expect(await answer(id, option)).toMatchObject({ isError: true, text: expect.stringContaining(why) });
    expect((await answer(id, option)).text).toContain("no active gate");
    expect(await gateIn(project)).toMatchObject({ answers: [] });
  });

  test("that cannot be stored are said not to be recorded", async () => {
    const project = await openGate();
    await plant(`${gateFile(project)}.emergency-journal.json`, { version: 1, transactionId: "t", owner: { pid: process.pid }, phase: "prepared" });
    expect(await answer("q-why", "yes")).toMatchObject({ isError: true, text: expect.stringContaining("NOT recorded") });
    expect(await gateIn(project)).toMatchObject({ answers: [] });
  });
});

describe("a gate that others wrote", () => {
  test.each([
    { active: true, result: "pending", questions: "none", answers: 7, threshold: "high", required_dimensions: null, evidence: [], prior_attempts: {} },
    { active: true, result: "pending", questions: [null, { id: 1 }, { id: "q", dimension: "x" }], answers: [null], pending_question: "q" },
    { active: false, result: "pass" },
    { active: true },
    {},
  ])("is never the cause of a crash: %#", async (forged) => {
    const project = await enterProject();
    await makeChange(project);
    await plant(gateFile(project), forged);
    for (const each of [await answer("q", "a"), await start(), await call("merge_readiness_report", { session_id: SESSION })]) {
      expect(each.text).not.toMatch(/internal error|undefined|TypeError/);
    }
    expect(await call("merge_readiness_set_content", content())).toBeDefined();
    await call("merge_readiness_cancel", { session_id: SESSION });
    expect(await start()).toMatchObject({ isError: false });
  });

  test.each(["{bad", "[]", ""])("and is no JSON object is refused, and can be moved aside: %j", async (bytes) => {
    const project = await enterProject();
    await makeChange(project);
    await plant(gateFile(project), bytes);
    expect(await start()).toMatchObject({ isError: true, text: expect.stringContaining("state_clear with mode merge-readiness moves it aside") });
    await text("state_clear", { mode: "merge-readiness", session_id: SESSION });
    expect(await start()).toMatchObject({ isError: false });
  });

  test("for another session is not touched", async () => {
    const project = await enterProject();
    await makeChange(project);
    await plant(gateFile(project), { active: true, result: "paused", session_id: "other" });
    for (const each of [await start(), await call("merge_readiness_report", { session_id: SESSION }), await call("merge_readiness_cancel", { session_id: SESSION })]) {
      expect(each).toMatchObject({ isError: true, text: expect.stringContaining("owned by session 'other'") });
    }
    expect(await gateIn(project)).toEqual({ active: true, result: "paused", session_id: "other" });
  });
});

test("cancelling twice is the same as once", async () => {
  const project = await openGate();
  expect(await text("merge_readiness_cancel", { session_id: SESSION })).toContain("cancelled");
  const gate = await gateIn(project);
  expect(gate).toMatchObject({ active: false, phase: "complete", result: "cancelled", cancel_owner: SESSION });
  expect(await text("merge_readiness_cancel", { session_id: SESSION })).toContain("already cancelled");
  expect(await gateIn(project)).toEqual(gate);
  expect(await report()).toContain("Cancelled by: gate");
});

test("the gate of a linked worktree is its own; another repository's is refused", async () => {
  const { root, folder } = await enterProject();
  const linked = join(folder, "linked");
  await git(root, "worktree", "add", "--quiet", linked);
  await writeFile(join(linked, "b.txt"), "b");
  await git(linked, "add", "b.txt");
  expect(await start("x", { workingDirectory: linked })).toMatchObject({ isError: false });
  expect(await readJson(gateFile({ omc: join(linked, ".omc") }))).toMatchObject({ evidence: { changedFiles: ["b.txt"] } });
  await git(folder, "init", "--quiet", "stranger");
  expect((await start("x", { workingDirectory: join(folder, "stranger") })).text).toContain("belongs to a different repository than 'project'");
});

test("without a session the gate is at the shared place", async () => {
  const project = await enterProject();
  await makeChange(project);
  vi.stubEnv("CLAUDE_SESSION_ID", " ");
  await text("merge_readiness_start", { summary: "x", session_id: "  " });
  const gate = await readJson(join(project.omc, "state", FILE));
  expect(gate).not.toHaveProperty("session_id");
  expect(gate["_meta"]).not.toHaveProperty("sessionId");
});
