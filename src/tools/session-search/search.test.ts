/** The search through the frame: which records are found, in which scope and order, and how they are shown. */
import { mkdir, rename, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { git, makeRepository, type Project } from "../../test-support/project.js";
import { enter, enterProject, plant } from "../state/calling.js";
import { call, folderOf, found, record, search, transcript } from "./searching.js";

describe("the texts of a record", () => {
  it.each([
    ["plain content", { content: "a needle" }, "a needle"],
    ["a text block", { content: [{ type: "text", text: "a needle" }] }, "a needle"],
    ["thinking", { content: [{ type: "thinking", thinking: "a needle", signature: "x" }] }, "a needle"],
    ["a tool call", { content: [{ type: "tool_use", name: "Bash", input: { command: "grep", list: ["in", { deep: "needle" }] } }] }, "Bash grep in needle"],
    ["a tool's result", { content: [{ type: "tool_result", content: [{ type: "text", text: "a needle" }] }] }, "a needle"],
    ["the end of a long tool call", { content: [{ type: "tool_use", name: "X", input: { list: [...Array(100).fill("y"), "needle"] } }] }, `…${"y ".repeat(60).trim()} needle`],
  ])("have %s", async (_, message, excerpt) => {
    const { root } = await enterProject();
    await transcript(root, "s1", [record(root, { message: { role: "user", ...message } })]);
    expect(await found({ query: "needle" })).toEqual([excerpt]);
  });

  it.each([
    ["pictures", { content: [{ type: "image", source: { data: "needle" } }, { type: "tool_result", content: [{ type: "image", source: { data: "needle" } }] }] }],
    ["signatures", { content: [{ type: "thinking", thinking: "x", signature: "needle" }] }],
  ])("do not have %s", async (_, message) => {
    const { root } = await enterProject();
    await transcript(root, "needle", [record(root, { uuid: "needle", message: { role: "user", ...message } })]);
    expect(await found({ query: "needle" })).toEqual([]);
  });

  it("are searched each by itself, and a record is one match", async () => {
    const { root } = await enterProject();
    const content = [{ type: "text", text: "first needle" }, { type: "text", text: "second needle hay" }];
    await transcript(root, "s1", [record(root, { message: { role: "user", content } })]);
    expect(await found({ query: "needle" })).toEqual(["first needle"]);
    expect(await found({ query: "hay needle" })).toEqual(["second needle hay"]);
    expect(await found({ query: "first hay" })).toEqual([]);
  });

  it("may be titles and summaries, which name no folder", async () => {
    const { root } = await enterProject();
    await transcript(root, "s1", [{ type: "summary", summary: "a needle", leafUuid: "x" }]);
    const { results } = await search({ query: "needle" });
    expect(results).toEqual([
      { sessionId: "s1", projectPath: root, sourcePath: expect.stringMatching(/s1\.jsonl$/), sourceType: "project-transcript", line: 1, entryType: "summary", excerpt: "a needle" },
    ]);
  });
});

describe("the answer", () => {
  it("says what was searched and what was found, the newest first", async () => {
    const { root } = await enterProject();
    await transcript(root, "s1", [
      record(root, { timestamp: "2026-01-01T00:00:00Z", message: { role: "user", content: "needle 1" } }),
      record(root, { timestamp: "when?", message: { role: "user", content: "needle 2" } }),
      record(root, { type: "assistant", timestamp: "2026-01-01T00:00:02Z", message: { role: "assistant", content: "needle 3" } }),
    ]);
    await transcript(root, "s1/subagents/agent-1f", [record(root, { agentId: "1f", timestamp: "2026-01-01T00:00:01Z", message: { role: "user", content: "needle 4" } })]);
    const answer = await search({ query: "Needle", limit: 3 });
    expect(answer).toMatchObject({
      query: "Needle",
      scope: { mode: "current", workingDirectory: root, caseSensitive: false },
      searchedFiles: 2,
      totalMatches: 4,
    });
    expect(answer.results.map(({ excerpt, line, role, agentId }) => [excerpt, line, role, agentId])).toEqual([
      ["needle 3", 3, "assistant", undefined],
      ["needle 4", 1, "user", "1f"],
      ["needle 1", 1, "user", undefined],
    ]);
    expect(await search({ query: "Needle", caseSensitive: true })).toMatchObject({ totalMatches: 0, results: [] });
  });

  it("tolerates what is no record", async () => {
    const { root } = await enterProject();
    const good = JSON.stringify(record(root, { message: { role: "user", content: "a needle é" } }));
    const bytes = Buffer.concat([
      Buffer.from(`\ufeff${good}\r\nnot json needle\n\n[1]\n"needle"\nnull\n`),
      Buffer.from(good.replace("é", "\u00ff\u00fe"), "latin1"),
      Buffer.from(`\n${good}\n${good.slice(0, -5)}`),
    ]);
    const path = await transcript(root, "s1", []);
    await writeFile(path, bytes);
    const { results } = await search({ query: "needle" });
    expect(results.map(({ line, excerpt }) => [line, excerpt])).toEqual([
      [1, "a needle é"],
      [7, "a needle \ufffd\ufffd"],
      [8, "a needle é"],
    ]);
  });

  it("counts lines that are too long to be searched, and files that cannot be read", async () => {
    const { root } = await enterProject();
    const huge = JSON.stringify(record(root, { message: { role: "user", content: `needle ${"x".repeat(9 * 1024 * 1024)}` } }));
    await transcript(root, "s1", [huge, record(root, { message: { role: "user", content: "a needle" } })]);
    expect(await search({ query: "needle" })).toMatchObject({ totalMatches: 1, skippedLines: 1, results: [{ line: 2 }] });
  });

  it.each([
    [{ query: " \n" }, "Error searching session history: Query cannot be empty"],
    [{ query: "" }, "Query cannot be empty"],
    [{ query: "x", since: "garbage" }, "since 'garbage' is neither an age"],
    [{ query: "x", sessionId: "../x" }, "Invalid session ID: path traversal not allowed (../x)"],
    [{ query: "x", workingDirectory: "/nowhere" }, "git probe failed and was not used"],
    [{ query: "x", limit: 0 }, "Invalid limit"],
    [{ query: "x", limit: 501 }, "Invalid limit"],
    [{ query: "x", contextChars: 19 }, "Invalid contextChars"],
    [{ query: "x", contextChars: 2001 }, "Invalid contextChars"],
    [{ query: "x".repeat(1001) }, "Invalid query"],
    [{ query: 7 }, "Invalid query"],
  ])("to %j is an error", async (args, words) => {
    await enterProject();
    const { text, isError } = await call(args);
    expect({ text, isError }).toEqual({ text: expect.stringContaining(words), isError: true });
  });
});

describe("since", () => {
  it("counts the time of the record, else that of the file; older files are not read", async () => {
    const { root } = await enterProject();
    const old = new Date("2026-01-01T00:00:00Z");
    const at = (timestamp: string | undefined, content: string) => record(root, { timestamp, message: { role: "user", content } });
    await transcript(root, "s1", [at("2025-12-31T00:00:00Z", "needle before"), at(new Date().toISOString(), "needle now"), at(undefined, "needle sometime")]);
    await utimes(await transcript(root, "s2", [at("2025-12-31T00:00:00Z", "needle old"), at(undefined, "needle older")]), old, old);
    expect(await found({ query: "needle" })).toHaveLength(5);
    expect(await found({ query: "needle", since: "1h" })).toEqual(["needle now", "needle sometime"]);
    expect((await search({ query: "needle", since: "2026-06-01" })).searchedFiles).toBe(1);
    expect((await search({ query: "needle", since: "2025-12-31" })).totalMatches).toBe(5);
  });
});

describe("the scope", () => {
  async function twoProjects(): Promise<Project & { other: string }> {
    const project = await enterProject();
    const other = await makeRepository(project.folder, "other_app");
    await transcript(project.root, "here", [record(project.root, { sessionId: "here", message: { role: "user", content: "needle here" } })]);
    await transcript(other, "there", [record(other, { sessionId: "there", message: { role: "user", content: "needle there" } })]);
    return { ...project, other };
  }

  it("is this project, another one, or all", async () => {
    const { other } = await twoProjects();
    expect(await found({ query: "needle" })).toEqual(["needle here"]);
    expect(await found({ query: "needle", project: "current" })).toEqual(["needle here"]);
    expect(await found({ query: "needle", project: "OTHER_app" })).toEqual(["needle there"]);
    expect((await found({ query: "needle", project: "all" })).toSorted()).toEqual(["needle here", "needle there"]);
    expect((await search({ query: "needle", project: "other_app" })).results[0]).toMatchObject({ projectPath: other, sessionId: "there" });
    expect((await search({ query: "needle", project: "../../etc" })).totalMatches).toBe(0);
  });

  it("may be one session", async () => {
    await twoProjects();
    expect(await found({ query: "needle", project: "all", sessionId: "there" })).toEqual(["needle there"]);
    expect(await found({ query: "needle", sessionId: "there" })).toEqual([]);
  });

  it("has sessions begun in folders of the project, not those of a neighbour with a similar name", async () => {
    const { root } = await enterProject();
    await transcript(join(root, "src"), "s1", [record(join(root, "src"), { message: { role: "user", content: "needle below" } })]);
    await transcript(`${root}-src`, "s2", [record(`${root}-src`, { message: { role: "user", content: "needle beside" } }), { type: "summary", summary: "needle" }]);
    expect(await found({ query: "needle" })).toEqual(["needle below"]);
  });

  it("has projects with odd and with very long names", async () => {
    const { folder, home } = await enterProject();
    for (const name of ["my app_v1.2 (é)", "n".repeat(220)]) {
      const root = await makeRepository(folder, name);
      enter(root, home);
      const long = folderOf(root).length > 200;
      await plant(join(home, ".claude", "projects", long ? `${folderOf(root).slice(0, 200)}-1a2b` : folderOf(root), "s1.jsonl"), `${JSON.stringify(record(root, { message: { role: "user", content: `needle in ${name}` } }))}\n`);
      expect(await found({ query: "needle" })).toHaveLength(1);
    }
  });

  it("of a linked worktree has its own sessions and those of the repository; the other way, not", async () => {
    const { root, folder } = await enterProject();
    const tree = join(folder, "tree");
    await git(root, "worktree", "add", "--quiet", tree);
    await transcript(root, "s1", [record(root, { message: { role: "user", content: "needle main" } })]);
    await transcript(tree, "s2", [record(tree, { message: { role: "user", content: "needle tree" } })]);
    expect(await found({ query: "needle" })).toEqual(["needle main"]);
    expect((await found({ query: "needle", workingDirectory: tree })).toSorted()).toEqual(["needle main", "needle tree"]);
  });

  it("has sessions begun under another name of the folder", async () => {
    const { root, folder } = await enterProject();
    const alias = join(folder, "alias");
    await symlink(root, alias);
    await transcript(alias, "s1", [record(alias, { message: { role: "user", content: "needle" } })]);
    expect(await found({ query: "needle" })).toEqual([]);
    expect(await found({ query: "needle", workingDirectory: alias })).toEqual(["needle"]);
    vi.stubEnv("PWD", alias);
    expect(await found({ query: "needle" })).toEqual(["needle"]);
  });

  it("has what was kept of this project's sessions and their events", async () => {
    const { root, omc } = await enterProject();
    await plant(join(omc, "sessions", "s1.json"), { session_id: "s1", ended_at: "2026-01-01T00:00:00Z", reason: "needle" });
    await plant(join(omc, "state", "agent-replay-s2.jsonl"), '{"t":0,"event":"x"}\n{"t":0,"event":"keyword_detected","keyword":"needle"}\n');
    expect((await search({ query: "needle" })).results).toEqual([
      { sessionId: "s1", timestamp: "2026-01-01T00:00:00Z", projectPath: root, sourcePath: join(omc, "sessions", "s1.json"), sourceType: "omc-session-summary", line: 1, entryType: "session-summary", excerpt: "needle" },
      { sessionId: "s2", projectPath: root, sourcePath: join(omc, "state", "agent-replay-s2.jsonl"), sourceType: "omc-session-replay", line: 2, entryType: "session-replay", excerpt: "needle" },
    ]);
  });

  it("outside of repositories leaves out the sessions of other folders", async () => {
    const { home, folder } = await enterProject();
    const plain = join(folder, "plain");
    await mkdir(plain);
    enter(plain, home);
    for (const session of ["mine", "foreign"]) await plant(join(home, ".omc", "sessions", `${session}.json`), { session_id: session, reason: `needle ${session}` });
    await transcript(plain, "mine", [record(plain, { message: { role: "user", content: "hay" } })]);
    expect(await found({ query: "needle" })).toEqual(["needle mine"]);
  });
});

it("counts the lines that are too long in all files", async () => {
  const { root } = await enterProject();
  for (const name of ["s1", "s2", "s3"]) await transcript(root, name, ["x".repeat(9 * 1024 * 1024)]);
  expect(await search({ query: "needle" })).toMatchObject({ searchedFiles: 3, skippedLines: 3 });
});

describe("links", () => {
  it("in the user's configuration are followed, once", async () => {
    const { root, home, folder } = await enterProject();
    const path = await transcript(root, "s1", [record(root, { message: { role: "user", content: "needle" } })]);
    const moved = join(folder, "moved");
    await rename(join(home, ".claude", "projects"), moved);
    await symlink(moved, join(home, ".claude", "projects"));
    await symlink(join(moved, folderOf(root), "s1.jsonl"), join(moved, folderOf(root), "copy.jsonl"));
    await symlink(moved, join(moved, folderOf(root), "loop"));
    expect(await search({ query: "needle" })).toMatchObject({ searchedFiles: 1, totalMatches: 1 });
    expect(path).toContain(folderOf(root));
  });

  it("to other folders, in a folder of transcripts, are not", async () => {
    const { root, home, folder } = await enterProject();
    await transcript(root, "s1", [record(root, { message: { role: "user", content: "needle" } })]);
    const elsewhere = await plant(join(folder, "elsewhere", "s2.jsonl"), JSON.stringify(record(root, { content: "needle" })));
    await symlink(join(elsewhere, ".."), join(home, ".claude", "projects", folderOf(root), "link"));
    expect(await search({ query: "needle" })).toMatchObject({ searchedFiles: 1, totalMatches: 1 });
  });

  it("in .omc are not", async () => {
    const { omc, folder } = await enterProject();
    const secret = await plant(join(folder, "secret", "s1.json"), { session_id: "s1", reason: "needle" });
    await mkdir(join(omc, "sessions"), { recursive: true });
    await symlink(secret, join(omc, "sessions", "s1.json"));
    await symlink(join(folder, "secret"), join(omc, "sessions", "more"));
    expect(await search({ query: "needle" })).toMatchObject({ searchedFiles: 0, totalMatches: 0 });
  });

  it("CLAUDE_CONFIG_DIR says where the configuration is", async () => {
    const { root, home, folder } = await enterProject();
    await transcript(root, "s1", [record(root, { message: { role: "user", content: "needle" } })]);
    await rename(join(home, ".claude"), join(home, "config"));
    expect(await found({ query: "needle" })).toEqual([]);
    for (const value of [join(home, "config"), `${join(home, "config")}/`, "~/config"]) {
      vi.stubEnv("CLAUDE_CONFIG_DIR", value);
      expect(await found({ query: "needle" })).toEqual(["needle"]);
    }
    vi.stubEnv("CLAUDE_CONFIG_DIR", join(folder, "none"));
    expect(await search({ query: "needle" })).toMatchObject({ searchedFiles: 0 });
  });
});

