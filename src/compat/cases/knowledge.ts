import type { Case } from "../case.js";

const skill = "---\nname: Mend Locks\ndescription: What to do about a stale lock\ntriggers:\n  - lock\n  - stale\ntags: [files]\n---\nbody\n";

/** The wiki, the manifest of folders, and skills. */
export const knowledgeCases: readonly Case[] = [
  {
    name: "the wiki",
    steps: [
      { tool: "wiki_list", tokens: ["Wiki is empty. (searched 0 pages in "] },
      { tool: "wiki_add", args: { title: "Auth Design", content: "Tokens see [[session-store]].", tags: ["auth"], category: "decision" }, tokens: ["Wiki page created: auth-design.md", "Path: .omc/wiki/auth-design.md"] },
      { tool: "wiki_add", args: { title: "Auth Design", content: "again" }, fails: true, tokens: ["auth-design"] },
      { tool: "wiki_ingest", args: { title: "Auth Design", content: "More.", tags: ["jwt"], category: "decision", confidence: "high" }, tokens: ["Wiki ingest complete.", "- Created: none", "- Updated: auth-design.md", "- Total affected: 1"] },
      { tool: "wiki_ingest", args: { title: "Session Store", content: "Redis.", tags: [], category: "architecture" }, tokens: ["- Created: session-store.md"] },
      { tool: "wiki_query", args: { query: "auth" }, tokens: ['## Wiki Query: "auth"', "1 results:", "### 1. Auth Design (decision, high)", "**File:** auth-design.md | **Tags:** auth, jwt | **Score:** ", "**Snippet:**"] },
      { tool: "wiki_query", args: { query: "zebra" }, tokens: ['No wiki pages match "zebra". (searched 2 page'] },
      { tool: "wiki_list", tokens: ["# Wiki Index", "> 2 pages | Last updated: ", "## decision", "- [Auth Design](auth-design.md)"] },
      { tool: "wiki_read", args: { page: "auth-design" }, tokens: ["## Auth Design", "**Category:** decision | **Confidence:** high | **Updated:** ", "**Tags:** auth, jwt", "**Links:**", "## Update ("] },
      { tool: "wiki_lint", tokens: ["## Wiki Lint Report", "**2 pages**", "**Summary:** "] },
      { tool: "wiki_delete", args: { page: "auth-design" }, tokens: ["Deleted wiki page: auth-design.md"] },
      { tool: "wiki_delete", args: { page: "auth-design" }, fails: true, tokens: ["Wiki page not found: auth-design.md"] },
      { tool: "wiki_read", args: { page: "none" }, fails: true, tokens: ["Wiki page not found: none.md"] },
    ],
  },
  {
    name: "the manifest of folders",
    files: { "a/one.ts": "", "a/b/two.ts": "", "node_modules/x/y.js": "" },
    steps: [
      { tool: "deepinit_manifest", args: { action: "check" }, tokens: ['"exists": false', '"valid": false', '"directoryCount": 0', '"generatedAt": null'] },
      { tool: "deepinit_manifest", args: { action: "diff" }, tokens: ['"mode": "incremental"', '"manifestExists": false', '"path": "a/b"', '"status": "added"', '"summary": {', '"added": 2'] },
      { tool: "deepinit_manifest", args: { action: "save", dryRun: true }, tokens: ["Directories tracked: 2", "```json", '"version": 1'] },
      { tool: "deepinit_manifest", args: { action: "save" }, tokens: ["Path: ", "Directories tracked: 2", "Generated at: "] },
      { tool: "deepinit_manifest", args: { action: "check" }, tokens: ['"exists": true', '"valid": true', '"directoryCount": 2'] },
      { tool: "deepinit_manifest", args: { action: "diff" }, tokens: ['"manifestExists": true', '"unchanged": 2', '"modified": 0'] },
      { tool: "deepinit_manifest", args: { action: "save", mode: "full" }, fails: true, tokens: ["Error: 'mode' parameter"] },
      { tool: "deepinit_manifest", args: { action: "diff", dryRun: true }, fails: true, tokens: ["Error: 'dryRun' parameter"] },
    ],
  },
  { name: "no skills", steps: [{ tool: "list_omc_skills", tokens: ["## No Skills Found", "Searched:"] }] },
  {
    name: "skills",
    files: { ".omc/skills/locks.md": skill },
    home: { ".omc/skills/mine.md": skill.replace("Mend Locks", "Own Ways") },
    steps: [
      { tool: "load_omc_skills_local", tokens: ["## Project Skills (1)", "### mend-locks", "- **Name:** Mend Locks", "- **Description:** What to do about a stale lock", "- **Triggers:** lock, stale", "- **Tags:** files", "- **Scope:** project", "- **Path:** "] },
      { tool: "load_omc_skills_global", tokens: ["## Global User Skills (1)", "### own-ways", "- **Scope:** user"] },
      { tool: "list_omc_skills", tokens: ["## All Available Skills (2 total)", "### Project Skills (1)", "### User Skills (1)"] },
      { tool: "load_omc_skills_local", args: { projectRoot: "../.." }, fails: true, tokens: [] },
    ],
  },
];
