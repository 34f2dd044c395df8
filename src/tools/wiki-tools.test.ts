/** The wiki tools through the frame: what they say and which files they leave. */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { buildListToolsResponse } from "../mcp/tool-registry.js";
import { git, makeRepository } from "../test-support/project.js";
import { enter, enterProject } from "./state/calling.js";
import { call, enterWiki, freezeTime, ingest, refused, said } from "./wiki/calling.js";
import { wikiTools } from "./wiki-tools.js";

const TIME = "2026-11-30T02:16:40.000Z";

describe("the files", () => {
  it("of a new page are those of the reference, byte for byte", async () => {
    const { omc, wiki, readPage } = await enterWiki();
    freezeTime(TIME);
    const more = { tags: ["auth", "a, b"], category: "architecture", sources: ["src/auth.ts"], confidence: "high" };
    expect(await ingest("Auth Architecture", "We use JWT, see [[Token Store]].", more)).toBe(
      "Wiki ingest complete.\n- Created: auth-architecture.md\n- Updated: none\n- Total affected: 1",
    );
    expect(await readPage("auth-architecture.md")).toBe(`---
title: "Auth Architecture"
tags: ["auth", "a, b"]
created: ${TIME}
updated: ${TIME}
sources: ["src/auth.ts"]
links: ["token-store.md"]
category: architecture
confidence: high
schemaVersion: 1
---

# Auth Architecture

We use JWT, see [[Token Store]].
`);
    expect(await readPage("index.md")).toBe(
      `# Wiki Index\n\n> 1 pages | Last updated: ${TIME}\n\n## architecture\n\n` +
        "- [Auth Architecture](auth-architecture.md) — We use JWT, see [[Token Store]].\n",
    );
    expect(await readPage("log.md")).toBe(
      `# Wiki Log\n\n## [${TIME}] ingest\n- **Pages:** auth-architecture.md\n- **Summary:** Created "Auth Architecture"\n\n`,
    );
    expect(await readFile(join(omc, ".gitignore"), "utf8")).toBe("wiki/\n");
    expect((await readdir(wiki)).sort()).toEqual(["auth-architecture.md", "index.md", "log.md"]);
    for (const name of await readdir(wiki)) expect((await stat(join(wiki, name))).mode & 0o777).toBe(0o600);
  });

  it("of a page that is added to keep title, category and age, and unite the lists", async () => {
    const { readPage } = await enterWiki();
    freezeTime(TIME);
    await ingest("Auth", "one [[A]]", { tags: ["x", "a, b"], sources: ["s"], confidence: "low" });
    vi.setSystemTime(new Date("2026-12-01T00:00:00.000Z"));
    expect(await ingest("AUTH", "two [[B]]", { tags: ["y", "x"], sources: ["t"], category: "decision" })).toBe(
      "Wiki ingest complete.\n- Created: none\n- Updated: auth.md\n- Total affected: 1",
    );
    expect(await readPage("auth.md")).toBe(`---
title: "Auth"
tags: ["x", "a, b", "y"]
created: ${TIME}
updated: 2026-12-01T00:00:00.000Z
sources: ["s", "t"]
links: ["a.md", "b.md"]
category: reference
confidence: medium
schemaVersion: 1
---

# Auth

one [[A]]

---

## Update (2026-12-01T00:00:00.000Z)

two [[B]]
`);
    await ingest("Auth", "three", { confidence: "high" });
    await ingest("Auth", "four", { confidence: "low" });
    expect(await readPage("auth.md")).toContain("\nconfidence: high\n");
  });

  it("add a line to a .gitignore that does not name the folder, once", async () => {
    const { omc } = await enterWiki();
    const path = join(omc, ".gitignore");
    for (const [before, after] of [["state/", "state/\nwiki/\n"], ["state/\r\n", "state/\r\nwiki/\r\n"], ["!wiki/\n", "!wiki/\n"]]) {
      await mkdir(omc, { recursive: true });
      await writeFile(path, before as string);
      await ingest("A");
      await ingest("A");
      expect(await readFile(path, "utf8")).toBe(after);
    }
  });
});

describe("the answers", () => {
  it("of adding, and of adding what is there", async () => {
    await enterWiki();
    expect(await said("wiki_add", { title: "Token Store", content: "x" })).toBe("Wiki page created: token-store.md\nPath: .omc/wiki/token-store.md");
    expect(await refused("wiki_add", { title: "token  store", content: "y" })).toMatch(/^Page "token-store.md" already exists.*wiki_ingest.*wiki_delete/);
    expect(await said("wiki_read", { page: "token-store" })).toMatch(/\n# Token Store\n\nx\n$/);
  });

  it("of reading", async () => {
    await enterWiki();
    freezeTime(TIME);
    await ingest("Auth", "text [[B]]", { tags: ["x", "y"], sources: ["s.ts"] });
    const text =
      `## Auth\n**Category:** reference | **Confidence:** medium | **Updated:** ${TIME}\n**Tags:** x, y\n` +
      "**Links:** b.md\n**Sources:** s.ts\n\n# Auth\n\ntext [[B]]\n";
    for (const page of ["auth", "auth.md", "Auth"]) expect(await said("wiki_read", { page })).toBe(text);
    expect(await refused("wiki_read", { page: "nope" })).toBe("Wiki page not found: nope.md");
    for (const page of ["index", "log.md", "../state/x", "/etc/passwd", "a\\b", ""]) expect(await refused("wiki_read", { page })).toContain("Wiki page not found: ");
  });

  it("of queries", async () => {
    const { root } = await enterWiki();
    const name = root.split("/").at(-1);
    expect(await said("wiki_query", { query: "jwt" })).toBe(`No wiki pages match "jwt". (searched 0 pages in ${name}/.omc/wiki)`);
    await ingest("認証 JWT", "署名の方式", { tags: ["a", "b"], category: "decision", confidence: "high" });
    expect(await said("wiki_query", { query: "認証" })).toBe(
      '## Wiki Query: "認証"\n\n1 results:\n\n### 1. 認証 JWT (decision, high)\n**File:** jwt.md | **Tags:** a, b | **Score:** 6\n**Snippet:** 署名の方式',
    );
    expect(await said("wiki_query", { query: "no\nthing" })).toBe(`No wiki pages match "no thing". (searched 1 page in ${name}/.omc/wiki)`);
  });

  it("of lists, which are true whatever index.md says", async () => {
    const { plantPage, wiki } = await enterWiki();
    expect(await said("wiki_list")).toMatch(/^Wiki is empty\. \(searched 0 pages in .*\/\.omc\/wiki\)/);
    await ingest("One");
    await plantPage("by-hand.md", '---\ntitle: "By hand"\ncategory: pattern\n---\n\n# By hand\n\nIts text\n');
    await writeFile(join(wiki, "index.md"), "torn");
    const list = await said("wiki_list");
    expect(list).toMatch(/^# Wiki Index\n\n> 2 pages \| Last updated: \S+Z\n\n## pattern\n\n- \[By hand\]\(by-hand.md\) — Its text\n\n## reference\n\n- \[One\]\(one.md\) — text\n$/);
    await ingest("Two");
    expect(await readFile(join(wiki, "index.md"), "utf8")).toContain("> 3 pages |");
  });

  it("of deleting", async () => {
    const { wiki, readPage } = await enterWiki();
    await ingest("Auth Flow");
    await ingest("Auth Flows");
    expect(await refused("wiki_delete", { page: "auth" })).toBe("Wiki page not found: auth.md");
    expect(await refused("wiki_delete", { page: "Auth Flow" })).toBe("Wiki page not found: Auth Flow.md; the page of that title is 'auth-flow.md'");
    expect(await said("wiki_delete", { page: "auth-flow" })).toBe("Deleted wiki page: auth-flow.md");
    expect((await readdir(wiki)).sort()).toEqual(["auth-flows.md", "index.md", "log.md"]);
    expect(await readPage("index.md")).not.toContain("auth-flow.md");
    expect(await readPage("log.md")).toMatch(/\] delete\n- \*\*Pages:\*\* auth-flow.md\n- \*\*Summary:\*\* Deleted "Auth Flow"\n\n$/);
  });
});

describe("what only looks", () => {
  it("leaves no trace", async () => {
    const { root } = await enterProject();
    for (const name of ["wiki_query", "wiki_lint", "wiki_list"]) await said(name, { query: "x" });
    await refused("wiki_read", { page: "x" });
    await refused("wiki_delete", { page: "x" });
    expect(await readdir(root)).toEqual([".git"]);
  });

  it("changes no file of a wiki", async () => {
    const { wiki } = await enterWiki();
    await ingest("One", "[[gone]]");
    const state = async () => Promise.all((await readdir(wiki)).sort().map(async (name) => [name, (await stat(join(wiki, name))).mtimeMs]));
    const before = await state();
    for (const name of ["wiki_query", "wiki_lint", "wiki_list"]) await said(name, { query: "one" });
    await said("wiki_read", { page: "one" });
    expect(await state()).toEqual(before);
  });
});

describe("which wiki", () => {
  it("is that of the worktree that is named, and of no other repository", async () => {
    const { root, folder, home } = await enterProject();
    const tree = join(folder, "tree");
    await git(root, "worktree", "add", "--quiet", tree);
    await mkdir(join(root, "deep"));
    const other = await makeRepository(folder, "other");
    await said("wiki_add", { title: "Here", content: "x", workingDirectory: tree });
    expect(await readdir(join(tree, ".omc", "wiki"))).toContain("here.md");
    expect(await said("wiki_list")).toContain("Wiki is empty");
    expect(await refused("wiki_query", { query: "x", workingDirectory: other })).toMatch(/^Error querying wiki: .*different repository/);
    enter(join(root, "deep"), home);
    await said("wiki_add", { title: "Root", content: "x" });
    expect(await readdir(join(root, ".omc", "wiki"))).toContain("root.md");
  });

  it("with OMC_STATE_DIR is said as it is", async () => {
    const { folder } = await enterProject();
    vi.stubEnv("OMC_STATE_DIR", join(folder, "central"));
    const [name, path] = (await said("wiki_add", { title: "A", content: "x" })).split("\nPath: ");
    expect(name).toBe("Wiki page created: a.md");
    expect(path?.replace(join(folder, "central"), "")).toMatch(/^\/project-[0-9a-f]{16}\/wiki\/a\.md$/);
    expect(await said("wiki_query", { query: "zz" })).toMatch(/in project-[0-9a-f]{16}\/wiki\)$/);
  });

  it("of a directory without repository is its own; an older shared one can be read", async () => {
    const { folder, home } = await enterProject();
    const plain = join(folder, "plain");
    await mkdir(join(home, ".omc", "wiki"), { recursive: true });
    await mkdir(plain);
    await writeFile(join(home, ".omc", "wiki", "old.md"), '---\ntitle: "Old"\n---\n\n# Old\n\nshared\n');
    enter(plain, home);
    expect(await said("wiki_query", { query: "shared" })).toContain("**File:** old.md");
    await said("wiki_add", { title: "New", content: "own" });
    expect(await said("wiki_list")).not.toContain("old.md");
    expect(await said("wiki_read", { page: "old" })).toContain("shared");
    expect((await readdir(join(home, ".omc", "wiki"))).sort()).toEqual(["old.md"]);
  });
});

describe("what is served", () => {
  it("names limits, and is short", () => {
    const served = buildListToolsResponse(wikiTools as never).tools;
    expect(served.map(({ name }) => name)).toEqual(["wiki_ingest", "wiki_query", "wiki_lint", "wiki_add", "wiki_list", "wiki_read", "wiki_delete"]);
    expect(served.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0)).toBeLessThanOrEqual(4_200);
    for (const { inputSchema } of served) for (const field of Object.values(inputSchema.properties)) expect(field["description"]).toBeTruthy();
  });

  it.each([
    [{ title: "x".repeat(201) }, "title"],
    [{ title: " \u200b " }, "title"],
    [{ content: "x".repeat(50_001) }, "content"],
    [{ tags: ["x".repeat(51)] }, "tags[0]"],
    [{ tags: Array.from({ length: 21 }, () => "x") }, "tags"],
    [{ category: "nonsense" }, "category"],
    [{ confidence: "certain" }, "confidence"],
    [{ sources: ["x".repeat(101)] }, "sources[0]"],
    [{ sources: Array.from({ length: 11 }, () => "x") }, "sources"],
  ])("is enforced: %j is refused", async (wrong, field) => {
    const { root } = await enterProject();
    const { text, isError } = await call("wiki_ingest", { title: "t", content: "c", tags: [], category: "reference", ...wrong });
    expect(isError).toBe(true);
    expect(text).toContain(`Invalid ${field}:`);
    expect(await readdir(root)).toEqual([".git"]);
  });

  it.each([0, -1, 51, 1.5])("is enforced: limit %j is refused", async (limit) => {
    await enterProject();
    expect(await refused("wiki_query", { query: "x", limit })).toContain("Invalid limit");
  });
});
