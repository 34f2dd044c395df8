/** Nothing that somebody wrote is lost or mixed: titles with one name, pages of other hands, links, torn files. */
import { mkdir, readdir, readFile, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { removeFolder } from "../../test-support/folders.js";
import { call, enterWiki, ingest, refused, said } from "./calling.js";
import { MAX_LOG_BYTES } from "./log-file.js";
import { titleKey } from "./names.js";
import { MAX_PAGE_BYTES } from "./write.js";

describe("titles of which the names are equal", () => {
  it("get pages of their own, and the answer says so", async () => {
    const { readPage } = await enterWiki();
    expect(await ingest("認証 JWT", "first")).toContain("- Created: jwt.md\n");
    const text = await ingest("署名 JWT", "second");
    expect(text).toMatch(/- Created: jwt-[0-9a-f]{8}\.md\n- Updated: none\n- Total affected: 1\n\nNote: 'jwt\.md' is the page "認証 JWT"/);
    const file = /jwt-[0-9a-f]{8}\.md/.exec(text)?.[0] as string;
    expect(await ingest("署名 JWT", "third")).toContain(`- Updated: ${file}\n`);
    expect(await readPage("jwt.md")).not.toContain("second");
    expect(await readPage(file)).toMatch(/second[^]*third/);
    expect(await said("wiki_read", { page: "署名 JWT" })).toContain("second");
  });

  it("stay apart when the first one is deleted", async () => {
    await enterWiki();
    await ingest("A b", "first");
    const file = /Created: (\S+)/.exec(await ingest("A-b", "second"))?.[1];
    await said("wiki_delete", { page: "a-b" });
    expect(await ingest("A-b", "third")).toContain(`- Updated: ${file}\n`);
    expect(await said("wiki_add", { title: "A b", content: "again" })).toContain("Wiki page created: a-b.md");
  });

  it("are told apart whatever they are made of", async () => {
    const { wiki } = await enterWiki();
    const titles = fc.uniqueArray(fc.string({ unit: fc.constantFrom("a", "B", "-", " ", "!", "証", "é"), minLength: 1, maxLength: 4 }).filter((title) => title.trim() !== ""), { selector: titleKey, minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(titles, async (titles) => {
        await removeFolder(wiki);
        for (const [at, title] of titles.entries()) {
          const page = /created: (\S+)/.exec(await said("wiki_add", { title, content: `content <${at}>` }))?.[1];
          expect(await said("wiki_read", { page })).toContain(`content <${at}>`);
          await refused("wiki_add", { title, content: "x" });
        }
        expect((await readdir(wiki)).length).toBe(titles.length + 2);
      }),
      { numRuns: 25 },
    );
  });
});

describe("links by title", () => {
  it("lead to the page of that title, also under its longer name", async () => {
    const { readPage } = await enterWiki();
    await ingest("認証 JWT");
    const file = /Created: (\S+)/.exec(await ingest("署名 JWT"))?.[1];
    await ingest("Links", "[[署名 JWT]] [[jwt]] [[jwt.md]] [[To come|later]]");
    expect(await readPage("links.md")).toContain(`links: ["${file}", "jwt.md", "to-come.md"]\n`);
  });
});

describe("a file without frontmatter", () => {
  const byHand = "# Plans\n\nWritten by hand, about llamas.\n";

  it("is listed, found and read, and never overwritten", async () => {
    const { plantPage, readPage } = await enterWiki();
    await plantPage("plans.md", byHand);
    await ingest("Other");
    expect(await readPage("index.md")).toContain("## unparsed\n\n- [Plans](plans.md) — (has no valid frontmatter) Written by hand");
    expect(await said("wiki_list")).toContain("- [Plans](plans.md)");
    expect(await said("wiki_query", { query: "llamas" })).toContain("**File:** plans.md");
    expect(await said("wiki_read", { page: "plans" })).toMatch(/\*\*Note:\*\* plans\.md has no valid frontmatter[^]*about llamas\.\n$/);
    expect(await said("wiki_lint")).toContain("- [WARNING] unparsed: plans.md has no valid frontmatter");
    expect(await refused("wiki_add", { title: "Plans", content: "x" })).toMatch(/^Page "plans.md" already exists, but has no valid frontmatter/);
    expect(await ingest("Plans", "new")).toMatch(/- Created: plans-[0-9a-f]{8}\.md\n[^]*Note: 'plans\.md' has no valid frontmatter and was left as it is/);
    expect(await readPage("plans.md")).toBe(byHand);
    await said("wiki_delete", { page: "plans" });
    expect(await readPage("index.md")).not.toContain("plans.md)");
  });

  it.each([
    ["torn in its frontmatter", '---\ntitle: "Plans"\ntags: ["a'],
    ["empty", ""],
    ["not of text", Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe, 0x00, 0x41])],
    ["in another encoding", Buffer.from('---\ntitle: "Plans"\n---\n\xe9', "latin1")],
    ["of more than is read", Buffer.alloc(5 * 1024 * 1024, "x")],
  ])("or one that is %s stays as it is", async (_what, bytes) => {
    const { wiki } = await enterWiki();
    await mkdir(wiki, { recursive: true });
    const path = join(wiki, "plans.md");
    await writeFile(path, bytes);
    await refused("wiki_add", { title: "Plans", content: "x" });
    await ingest("Plans", "new");
    expect(await said("wiki_list")).toContain("](plans.md)");
    expect((await readFile(path)).equals(Buffer.from(bytes))).toBe(true);
  });
});

describe("a page that somebody edited", () => {
  it("keeps its fields, its tags with commas, and a sign that stands for nothing", async () => {
    const { plantPage, readPage } = await enterWiki();
    await plantPage("odd.md", '\uFEFF---\r\ntitle: Odd\r\ntags: ["a, b", c]\r\nauthor: Kim\r\n---\r\n\r\n# Odd\r\n\r\nold \uFFFD\r\n');
    expect(await ingest("odd", "new", { tags: ["d"] })).toContain("- Updated: odd.md");
    const text = await readPage("odd.md");
    expect(text).toContain('tags: ["a, b", "c", "d"]\n');
    expect(text).toContain("schemaVersion: 1\nauthor: Kim\n---\n\n# Odd\n\nold \uFFFD\n\n---\n\n## Update (");
  });

  it("is seen at once, also when its size is the same", async () => {
    const { plantPage } = await enterWiki();
    for (const word of ["first", "other", "third"]) {
      await plantPage("x.md", `---\ntitle: "X"\n---\n\n${word}\n`);
      expect(await said("wiki_read", { page: "x" })).toContain(word);
      expect(await said("wiki_query", { query: word })).toContain("**File:** x.md");
    }
  });
});

describe("what is not a page", () => {
  it("is refused: links and folders", async () => {
    const { wiki, folder } = await enterWiki();
    await ingest("Real");
    const secret = join(folder, "secret.md");
    await writeFile(secret, '---\ntitle: "Secret"\n---\n\nsecret words\n');
    await symlink(secret, join(wiki, "leak.md"));
    await mkdir(join(wiki, "box.md"));
    for (const page of ["leak", "box"]) {
      expect(await refused("wiki_read", { page })).toMatch(new RegExp(`^Wiki page not found: ${page}\\.md \\(it is `));
      expect(await refused("wiki_add", { title: page, content: "x" })).toContain("nothing was written");
      expect(await refused("wiki_ingest", { title: page, content: "x", tags: [], category: "reference" })).toContain("nothing was written");
      expect(await refused("wiki_delete", { page })).toContain("nothing was deleted");
    }
    expect(await said("wiki_query", { query: "secret" })).toContain("No wiki pages match");
    expect(await said("wiki_list")).toContain("Note: leak.md is a symbolic link");
    expect(await said("wiki_lint")).toContain("unparsed: leak.md is a symbolic link");
    expect(await readFile(secret, "utf8")).not.toContain("x\n\n");
  });

  it("is refused: a folder of pages that leads elsewhere", async () => {
    const { omc, wiki, folder } = await enterWiki();
    await mkdir(omc);
    await mkdir(join(folder, "elsewhere"));
    await symlink(join(folder, "elsewhere"), wiki);
    for (const name of ["wiki_list", "wiki_lint"]) expect(await refused(name)).toContain("'.omc/wiki' is a symbolic link");
    await refused("wiki_add", { title: "A", content: "x" });
    expect(await readdir(join(folder, "elsewhere"))).toEqual([]);
  });

  it.each(["Index", "LOG", "environment", " index! "])("is refused: the title %j", async (title) => {
    const { wiki } = await enterWiki();
    for (const name of ["wiki_add", "wiki_ingest"]) {
      const { text, isError } = await call(name, { title, content: "x", tags: [], category: "reference" });
      expect({ text, isError }).toMatchObject({ isError: true, text: expect.stringContaining("Cannot write to reserved wiki file: ") });
    }
    await expect(readdir(wiki)).rejects.toThrow();
  });

  it("cannot be deleted: what the wiki itself keeps", async () => {
    const { wiki, plantPage } = await enterWiki();
    await ingest("A");
    await plantPage("environment.md", '---\ntitle: "Environment"\n---\n\nnode 20\n');
    for (const page of ["index", "log.md", "environment"]) expect(await refused("wiki_delete", { page })).toContain(`Cannot delete reserved wiki file: ${page.replace(".md", "")}.md`);
    expect((await readdir(wiki)).length).toBe(4);
    expect(await said("wiki_read", { page: "environment" })).toContain("node 20");
    expect(await said("wiki_list")).not.toContain("environment.md");
  });
});

describe("index and log", () => {
  it("are healed, whatever they were", async () => {
    const { wiki, folder, readPage } = await enterWiki();
    await ingest("One");
    await writeFile(join(wiki, "index.md"), "# Wiki In");
    await writeFile(join(wiki, "log.md"), "# Wiki Log\n\n## [2026-01-01T00:00:00.000Z] ingest\n- **Pag");
    await ingest("Two");
    expect(await readPage("index.md")).toContain("> 2 pages |");
    expect(await readPage("log.md")).toMatch(/^# Wiki Log\n\n## \[2026-01-01T00:00:00.000Z\] ingest\n- \*\*Pag\n\n## \[.*\] ingest\n- \*\*Pages:\*\* two\.md\n/);
    await writeFile(join(folder, "target"), "mine");
    for (const name of ["index.md", "log.md"]) {
      await unlink(join(wiki, name));
      await symlink(join(folder, "target"), join(wiki, name));
    }
    await ingest("Three");
    expect(await readPage("index.md")).toContain("> 3 pages |");
    expect(await readPage("log.md")).toMatch(/^# Wiki Log\n\n## \[.*\] ingest\n- \*\*Pages:\*\* three\.md\n/);
    expect(await readFile(join(folder, "target"), "utf8")).toBe("mine");
  });

  it("that cannot be written do not hide that the page was", async () => {
    const { wiki, readPage } = await enterWiki();
    await mkdir(join(wiki, "index.md"), { recursive: true });
    expect(await ingest("One", "kept")).toMatch(/- Created: one\.md[^]*\nNote: index\.md could not be brought up to date: E/);
    expect(await readPage("one.md")).toContain("kept");
  });

  it("have one line for a title of several", async () => {
    const { readPage } = await enterWiki();
    await ingest("One\n## [x] delete\r\nmore");
    expect(await readPage("log.md")).toContain('- **Summary:** Created "One ## [x] delete more"\n');
  });

  it("do not grow for ever", async () => {
    const { wiki, readPage } = await enterWiki();
    await ingest("One");
    const old = `# Wiki Log\n\n${"x".repeat(MAX_LOG_BYTES)}\n`;
    await writeFile(join(wiki, "log.md"), old);
    await ingest("Two");
    expect(await readPage("log.md")).toMatch(/^# Wiki Log\n\n## \[.*\] ingest\n- \*\*Pages:\*\* two\.md\n/);
    expect(await readPage("log.md.1")).toBe(old);
  });
});

describe("a page", () => {
  it("holds any text", async () => {
    const { readPage } = await enterWiki();
    const odd = { tags: ["\uD800", "a\0b", "", " x "], sources: ["\u2028"] };
    for (let turn = 0; turn < 2; turn++) await ingest("Odd\0 \uD800", "\0 \uDC00 [[x\0y]] \u2028\r\n---\n", odd);
    expect(await readPage("odd.md")).toContain('title: "Odd  \uFFFD"\ntags: ["\uFFFD", "a\0b", "", " x "]\n');
    expect(await said("wiki_query", { query: "odd" })).toContain("**File:** odd.md");
  });

  it("of others is shown in bounds, whatever its fields are", async () => {
    const { plantPage } = await enterWiki();
    const many = Array.from({ length: 10_000 }, (_, at) => `"tag ${at}"`).join(", ");
    await plantPage("big.md", `---\ntitle: "${"T".repeat(100_000)}"\ncategory: ${"c".repeat(100_000)}\ntags: [${many}]\nlinks: [${many}]\n---\nx\n`);
    for (const [name, args] of [["wiki_query", { query: "t" }], ["wiki_list", {}], ["wiki_read", { page: "big" }], ["wiki_lint", {}]] as const) {
      expect((await said(name, args)).length).toBeLessThan(110_000);
    }
  });

  it("does not grow over its limit", async () => {
    const { plantPage, readPage } = await enterWiki();
    const text = `---\ntitle: "Big"\n---\n\n${"x".repeat(MAX_PAGE_BYTES - 1_000)}`;
    await plantPage("big.md", text);
    expect(await refused("wiki_ingest", { title: "Big", content: "y".repeat(2_000), tags: [], category: "reference" })).toContain("over its limit");
    expect(await readPage("big.md")).toBe(text);
    expect((await said("wiki_read", { page: "big" })).length).toBeLessThan(201_000);
  });
});
