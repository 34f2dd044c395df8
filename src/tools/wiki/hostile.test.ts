/** Folders of strangers: what lies in the place of pages neither hides other pages nor passes for one. */
import { truncate, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { call, enterWiki, ingest, refused, said } from "./calling.js";
import { MAX_PAGES } from "./catalog.js";
import { MAX_HEAD } from "./page.js";

describe("a file over the limit", () => {
  it("takes no room from the pages behind it", async () => {
    const { plantPage } = await enterWiki();
    await truncate(await plantPage("a.md", ""), 1024 ** 4);
    await ingest("B", "kept");
    expect(await said("wiki_list")).toMatch(/- \[B\]\(b\.md\) — kept\n[^]*- \[a\]\(a\.md\) — \(has more than 4194304 bytes/);
    expect(await said("wiki_read", { page: "a" })).toMatch(/\*\*Note:\*\* a\.md has more than 4194304 bytes and was not read\.\n$/);
  });
});

describe("a name that nobody can pass", () => {
  it.each(["a\nb.md", "a\u001b[2J.md", Buffer.from([0x61, 0xff, 0x2e, 0x6d, 0x64])])("is told of, on one line (%j)", async (name) => {
    const { wiki } = await enterWiki();
    await ingest("One");
    const path = Buffer.concat([Buffer.from(`${wiki}/`), Buffer.from(name)]);
    const isTaken = await writeFile(path, '---\ntitle: "Odd"\n---\nx').then(() => true, () => false);
    if (!isTaken) return; // some disks take no such names
    const list = await said("wiki_list");
    expect(list).toMatch(/\nNote: a\S*\.md has no proper name and was not used\.$/);
    expect(list).toContain("> 1 pages |");
    expect(await said("wiki_lint")).toMatch(/\n- \[WARNING\] unparsed: a\S*\.md has no proper name and was not used\n/);
    expect(await said("wiki_query", { query: "Odd" })).toContain("searched 1 page in");
  });

  it("is cut in the answer", async () => {
    await enterWiki();
    for (const name of ["wiki_read", "wiki_delete"]) expect((await refused(name, { page: "x".repeat(100_000) })).length).toBeLessThan(500);
  });
});

describe("a title", () => {
  it.each([["Проект", "проект"], ["日本  語", "日本 語"], ["É", "E\u0301"]])("is the same whatever its case, spaces and composition: %s, %s", async (first, second) => {
    const { readPage } = await enterWiki();
    const file = /Created: (\S+)/.exec(await ingest(first, "first"))?.[1] as string;
    expect(await ingest(second, "second")).toContain(`- Updated: ${file}\n`);
    expect(await readPage(file)).toMatch(/first[^]*second/);
    expect(await refused("wiki_add", { title: second, content: "x" })).toContain(`Page "${file}" already exists`);
  });

  it("is found under a name that somebody else chose", async () => {
    const { plantPage, readPage } = await enterWiki();
    await plantPage("my-notes.md", '---\ntitle: "Tokens"\n---\n\nfirst\n');
    expect(await refused("wiki_add", { title: "Tokens", content: "x" })).toContain('Page "my-notes.md" already exists');
    expect(await ingest("tokens", "second")).toContain("- Updated: my-notes.md\n");
    expect(await readPage("my-notes.md")).toMatch(/first[^]*second/);
  });
});

describe("a head that grew", () => {
  it("is not written when it could not be read again", async () => {
    const { plantPage, readPage } = await enterWiki();
    const text = `---\ntitle: "Big"\nown: ${"x".repeat(MAX_HEAD - 100)}\n---\ntext\n`;
    await plantPage("big.md", text);
    const { isError, text: answer } = await call("wiki_ingest", { title: "Big", content: "y", tags: ["t".repeat(50)], category: "reference" });
    expect({ isError, answer }).toEqual({ isError: true, answer: expect.stringContaining("too many tags, sources and links; nothing was written") });
    expect(await readPage("big.md")).toBe(text);
  });
});

describe("more pages than are looked at", () => {
  it("are told of by each tool", { timeout: 30_000 }, async () => {
    const { wiki } = await enterWiki();
    await ingest("a");
    for (let at = 0; at < MAX_PAGES; at += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, more) => writeFile(`${wiki}/p${at + more}.md`, "x")));
    }
    for (const [name, args] of [["wiki_list", {}], ["wiki_lint", {}], ["wiki_query", { query: "x" }], ["wiki_query", { query: "nothing" }]] as const) {
      expect(await said(name, args)).toMatch(/\n\n?Note: only the first 10000 pages were looked at; 1 more are there\.$/);
    }
  });
});
