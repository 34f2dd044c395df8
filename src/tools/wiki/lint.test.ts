/** The faults that lint finds. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { enterWiki, freezeTime, ingest, said } from "./calling.js";

const NOW = "2026-11-30T02:16:40.000Z";

function page(title: string, { updated = NOW, links = "[]", category = "reference", confidence = "medium", tags = "[]", body = "text" } = {}): string {
  return `---\ntitle: "${title}"\ntags: ${tags}\ncreated: ${updated}\nupdated: ${updated}\nsources: []\nlinks: ${links}\ncategory: ${category}\nconfidence: ${confidence}\nschemaVersion: 1\n---\n\n# ${title}\n\n${body}\n`;
}

describe("lint", () => {
  it("finds nothing in an empty wiki, and none in a good one", async () => {
    await enterWiki();
    expect(await said("wiki_lint")).toBe("Wiki lint: 0 pages, no issues found.");
    await ingest("A", "[[B]]");
    await ingest("B", "[[A]]");
    expect(await said("wiki_lint")).toBe("Wiki lint: 2 pages, no issues found.");
  });

  it("reports page by page, then groups", async () => {
    const { plantPage } = await enterWiki();
    freezeTime(NOW);
    await plantPage("auth-flow-a.md", page("A", { confidence: "high", tags: '["x"]', links: '["auth-flow-a.md", "gone.md", "environment.md"]', updated: "2026-10-30T00:00:00.000Z" }));
    await plantPage("auth-flow-b.md", page("B", { confidence: "low", tags: '["x"]', category: "decision", links: '["auth-flow-a.md"]', body: "y".repeat(11_000) }));
    await plantPage("c.md", page("C", { body: "see [[B]], [[C]] and [[Nowhere]]" }));
    expect(await said("wiki_lint")).toBe(`## Wiki Lint Report

**3 pages**, 8 issues:

- [WARNING] stale: auth-flow-a.md was last updated 31 days ago
- [ERROR] broken-ref: auth-flow-a.md links to gone.md, which does not exist
- [INFO] low-confidence: auth-flow-b.md has low confidence; check it
- [WARNING] oversized: auth-flow-b.md has 11007 bytes of text, over 10240; split it
- [INFO] orphan: c.md has no link from another page
- [ERROR] broken-ref: c.md links to nowhere.md, which does not exist
- [WARNING] structural-contradiction: pages "auth-flow…" have both high and low confidence
- [INFO] structural-contradiction: pages "auth-flow…" have the tag "x" in different categories

**Summary:** 1 orphan, 1 stale, 2 broken refs, 2 contradictions, 1 oversized`);
  });

  it("goes by the limits that the user has set", async () => {
    const { plantPage, folder } = await enterWiki();
    freezeTime(NOW);
    await plantPage("a.md", page("A", { updated: "2026-11-20T00:00:00.000Z", links: '["b.md"]', body: "x".repeat(100) }));
    await plantPage("b.md", page("B", { links: '["a.md"]' }));
    const config = join(folder, "config");
    await mkdir(config);
    vi.stubEnv("CLAUDE_CONFIG_DIR", config);
    const withSettings = async (wiki: unknown) => {
      await writeFile(join(config, ".omc-config.json"), JSON.stringify({ wiki }));
      return said("wiki_lint");
    };
    for (const wiki of [undefined, null, { staleDays: -1, maxPageSize: "x" }]) expect(await withSettings(wiki)).toContain("no issues found");
    const report = await withSettings({ staleDays: 5, maxPageSize: 50 });
    expect(report).toContain("stale: a.md was last updated 10 days ago");
    expect(report).toContain("oversized: a.md has");
  });

  it("shows what a hook has put there by its first words", async () => {
    const { plantPage } = await enterWiki();
    await plantPage("session-log-2026-11-30-0123abcd.md", page("Session", { category: "session-log", body: `<!-- omc-wiki-capture:${"0".repeat(64)} -->\n\nWhat was done` }));
    expect(await said("wiki_list")).toContain("- [Session](session-log-2026-11-30-0123abcd.md) — What was done\n");
  });

  it("is bounded", async () => {
    const { plantPage } = await enterWiki();
    for (let at = 0; at < 310; at++) await plantPage(`p${at}.md`, page(`P${at}`));
    const report = await said("wiki_lint");
    expect(report).toContain("**310 pages**, 310 issues:");
    expect(report).toContain("- and 10 more\n\n**Summary:** 310 orphan");
  });
});
