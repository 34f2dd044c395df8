/**
 * The wiki: pages of what is known about a project, as Markdown files in the folder `wiki` of its `.omc`, which agents
 * write, find and read. How a page looks is told in `wiki/page.ts`, how files are named in `wiki/names.ts`.
 */
import * as z from "zod";
import { errorText, isMistake } from "./error-text.js";
import { defineTool, fail, ok, type ToolResult } from "./types.js";
import { CATEGORIES, CONFIDENCES } from "./wiki/page.js";
import { workingDirectory } from "./working-directory.js";

const DEFAULT_LIMIT = 20;

const title = z.string().max(200).refine(hasVisible, "a title with at least one visible character");
const content = z.string().max(50_000).describe("Markdown, [[Title]] links.");
const tags = z.array(z.string().max(50)).max(20);
const category = z.enum(CATEGORIES);
const page = z.string();

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

const ingestTool = defineTool({
  name: "wiki_ingest",
  description: "Adds to the wiki page of this title, or makes it.",
  schema: z.object({
    title: title.describe("In any case."),
    content,
    tags: tags.describe("Are added."),
    category: category.describe("Of a new page."),
    sources: z.array(z.string().max(100)).max(10).optional().describe("Default: none."),
    confidence: z.enum(CONFIDENCES).optional().describe("Default: medium."),
    workingDirectory,
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handler: (args, { signal }) =>
    guarded("ingesting into wiki", async () => {
      const [{ openWiki }, { writePage }, { ingested }] = await modules();
      const { title, content, tags, category, sources = [], confidence } = args;
      const draft = { title, content, tags, category, sources, confidence };
      return ok(ingested(await writePage(await openWiki(args.workingDirectory), draft, "merge", signal)));
    }),
});

const queryTool = defineTool({
  name: "wiki_query",
  description: "Returns the wiki's best matches: file, score, snippet. Any language; ignores case, accents.",
  schema: z.object({
    query: z.string().describe("Words; empty: all."),
    tags: z.array(z.string()).optional().describe("Any of these."),
    category: category.optional().describe("Only this."),
    limit: z.int().min(1).max(50).optional().describe(`Default: ${DEFAULT_LIMIT}.`),
    workingDirectory,
  }),
  annotations: READS,
  handler: (args, { signal }) =>
    guarded("querying wiki", async () => {
      const { openWiki, readWiki } = await import("./wiki/wiki.js");
      const { search } = await import("./wiki/search.js");
      const { hitList, noHits } = await import("./wiki/answers.js");
      const wiki = await openWiki(args.workingDirectory);
      const catalog = await readWiki(wiki, signal);
      const { query, tags = [], category, limit = DEFAULT_LIMIT } = args;
      const hits = await search(catalog.pages, { query, tags, category, limit }, signal);
      return ok(hits.length === 0 ? noHits(query, catalog, wiki) : hitList(query, hits, catalog));
    }),
});

const lintTool = defineTool({
  name: "wiki_lint",
  description: "Returns the wiki's faults: orphaned, stale, oversized, unparsed pages; broken links; contradictions.",
  schema: z.object({ workingDirectory }),
  annotations: READS,
  handler: (args, { signal }) =>
    guarded("linting wiki", async () => {
      const { openWiki, readWiki } = await import("./wiki/wiki.js");
      const { lint, lintLimits } = await import("./wiki/lint.js");
      const { lintReport } = await import("./wiki/answers.js");
      const catalog = await readWiki(await openWiki(args.workingDirectory), signal);
      return ok(lintReport(catalog, await lint(catalog, await lintLimits(), Date.now(), signal)));
    }),
});

const addTool = defineTool({
  name: "wiki_add",
  description: "Creates a wiki page. Fails if the title has one: use wiki_ingest.",
  schema: z.object({
    title: title.describe("One line."),
    content,
    tags: tags.optional().describe("Default: none."),
    category: category.optional().describe("Default: reference."),
    workingDirectory,
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handler: (args, { signal }) =>
    guarded("adding wiki page", async () => {
      const [{ openWiki }, { writePage, PageExistsError }, { added }] = await modules();
      const { title, content, tags = [], category = "reference" } = args;
      const wiki = await openWiki(args.workingDirectory);
      const draft = { title, content, tags, category, sources: [], confidence: undefined };
      try {
        return ok(added(await writePage(wiki, draft, "refuse", signal), wiki));
      } catch (error) {
        if (error instanceof PageExistsError) return fail(error.message);
        throw error;
      }
    }),
});

const listTool = defineTool({
  name: "wiki_list",
  description: "Returns the wiki's titles, files and first lines by category.",
  schema: z.object({ workingDirectory }),
  annotations: READS,
  handler: (args, { signal }) =>
    guarded("listing wiki", async () => {
      const { openWiki, readWiki } = await import("./wiki/wiki.js");
      const { pageList } = await import("./wiki/answers.js");
      const wiki = await openWiki(args.workingDirectory);
      return ok(pageList(await readWiki(wiki, signal), wiki));
    }),
});

const readTool = defineTool({
  name: "wiki_read",
  description: "Returns the fields and text of a wiki page.",
  schema: z.object({ page: page.describe("File or title."), workingDirectory }),
  annotations: READS,
  handler: (args, { signal }) =>
    guarded("reading wiki page", async () => {
      const { openWiki } = await import("./wiki/wiki.js");
      const { findPage } = await import("./wiki/lookup.js");
      const { pageText } = await import("./wiki/answers.js");
      const lookup = await findPage(await openWiki(args.workingDirectory), args.page, signal);
      return "found" in lookup ? ok(pageText(lookup.found)) : fail(lookup.problem);
    }),
});

const deleteTool = defineTool({
  name: "wiki_delete",
  description: "Deletes the wiki page that has this file name.",
  schema: z.object({ page: page.describe("File, not title."), workingDirectory }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  handler: (args, { signal }) =>
    guarded("deleting wiki page", async () => {
      const [{ openWiki }, { deletePage }, { deleted }] = await modules();
      const { missingText } = await import("./wiki/lookup.js");
      const wiki = await openWiki(args.workingDirectory);
      const done = await deletePage(wiki, args.page, signal);
      return done === undefined ? fail(await missingText(wiki, args.page, signal)) : ok(deleted(done));
    }),
});

export const wikiTools = [ingestTool, queryTool, lintTool, addTool, listTool, readTool, deleteTool];

function modules() {
  return Promise.all([import("./wiki/wiki.js"), import("./wiki/write.js"), import("./wiki/answers.js")]);
}

async function guarded(what: string, work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (isMistake(error)) throw error; // the frame logs it
    return fail(`Error ${what}: ${errorText(error)}`);
  }
}

function hasVisible(text: string): boolean {
  return /[^\p{Z}\p{C}]/u.test(text);
}
