/**
 * Faults of a wiki: page by page, then groups of pages whose names share the first two parts. Changes nothing.
 * The two limits can be set by the user: `{"wiki":{"staleDays":90,"maxPageSize":20480}}` in `.omc-config.json`.
 */
import { readOmcConfig } from "../../lib/omc-config.js";
import type { Catalog, WikiPage } from "./catalog.js";
import { groupBy, shownLine } from "./index-file.js";
import { type LinkResolver, linkResolver } from "./links.js";
import { EXTENSION, isReserved } from "./names.js";
import { takingTurns } from "../../lib/turns.js";

export type Severity = "ERROR" | "WARNING" | "INFO";
export type IssueType = "orphan" | "stale" | "broken-ref" | "low-confidence" | "oversized" | "unparsed" | "structural-contradiction";

export interface Issue {
  severity: Severity;
  type: IssueType;
  message: string;
}

export interface LintLimits {
  staleDays: number;
  /** Of the body, in bytes. */
  maxPageSize: number;
}

const DEFAULTS: LintLimits = { staleDays: 30, maxPageSize: 10_240 };
const DAY_MS = 86_400_000;

/** As the user has set them; values that make no sense count as not set. */
export async function lintLimits(): Promise<LintLimits> {
  const config = (await readOmcConfig()) as { wiki?: Record<string, unknown> | null } | null | undefined;
  const limit = (name: keyof LintLimits) => {
    const value = config?.wiki?.[name];
    return typeof value === "number" && value > 0 ? value : DEFAULTS[name];
  };
  return { staleDays: limit("staleDays"), maxPageSize: limit("maxPageSize") };
}

/** @param now in milliseconds since 1970. @throws the signal's reason when aborted. */
export async function lint(catalog: Catalog, limits: LintLimits, now: number, signal: AbortSignal): Promise<Issue[]> {
  const links = await linksByFile(catalog.pages, signal);
  const linked = new Set<string>();
  for (const [file, targets] of links) for (const target of targets) if (target !== file) linked.add(target);
  const files = new Set([...links.keys(), ...catalog.strangers.map(({ file }) => file)]);
  const issues: Issue[] = [];
  for (const found of catalog.pages) {
    if (found.problem !== undefined) {
      issues.push({ severity: "WARNING", type: "unparsed", message: `${found.file} ${found.problem}` });
      continue;
    }
    const broken = (links.get(found.file) ?? []).filter((target) => !files.has(target) && !isReserved(target));
    issues.push(...pageIssues(found, linked.has(found.file), broken, limits, now));
  }
  for (const { file, problem } of catalog.strangers) {
    issues.push({ severity: "WARNING", type: "unparsed", message: `${file} ${problem}` });
  }
  return [...issues, ...contradictions(catalog.pages)];
}

async function linksByFile(pages: readonly WikiPage[], signal: AbortSignal): Promise<Map<string, string[]>> {
  const linked = linkResolver(pages);
  const links = new Map<string, string[]>();
  const turn = takingTurns(signal);
  for (const found of pages) {
    await turn();
    links.set(found.file, linksOf(found, linked));
  }
  return links;
}

/** By the frontmatter and by the text, which may have been edited since. */
function linksOf({ page, problem }: WikiPage, linked: LinkResolver): string[] {
  return problem === undefined ? [...new Set([...page.links, ...linked(page.body)])] : [];
}

function pageIssues({ file, page }: WikiPage, isLinked: boolean, broken: string[], limits: LintLimits, now: number): Issue[] {
  const issues: Issue[] = [];
  const add = (severity: Severity, type: IssueType, message: string) => issues.push({ severity, type, message: `${file} ${message}` });
  if (!isLinked) add("INFO", "orphan", "has no link from another page");
  const age = Math.floor((now - Date.parse(page.updated)) / DAY_MS);
  if (age > limits.staleDays) add("WARNING", "stale", `was last updated ${age} days ago`);
  for (const target of broken) add("ERROR", "broken-ref", `links to ${shownLine(target)}, which does not exist`);
  if (page.confidence === "low") add("INFO", "low-confidence", "has low confidence; check it");
  const bytes = Buffer.byteLength(page.body);
  if (bytes > limits.maxPageSize) add("WARNING", "oversized", `has ${bytes} bytes of text, over ${limits.maxPageSize}; split it`);
  return issues;
}

function contradictions(pages: readonly WikiPage[]): Issue[] {
  const issues: Issue[] = [];
  const proper = pages.filter(({ problem }) => problem === undefined);
  for (const [prefix, group] of groupBy(proper, ({ file }) => prefixOf(file))) {
    if (group.length < 2) continue;
    const add = (severity: Severity, message: string) =>
      issues.push({ severity, type: "structural-contradiction", message: `pages "${prefix}…" ${message}` });
    const has = (confidence: string) => group.some(({ page }) => page.confidence === confidence);
    if (has("high") && has("low")) add("WARNING", "have both high and low confidence");
    const tag = dividedTag(group);
    if (tag !== undefined) add("INFO", `have the tag "${shownLine(tag)}" in different categories`);
  }
  return issues;
}

function prefixOf(file: string): string {
  return file.slice(0, -EXTENSION.length).split("-").slice(0, 2).join("-");
}

/** A tag that pages of different categories have. */
function dividedTag(group: readonly WikiPage[]): string | undefined {
  const categories = new Map<string, string>();
  for (const { page } of group) {
    for (const tag of page.tags) {
      const before = categories.get(tag);
      if (before !== undefined && before !== page.category) return tag;
      categories.set(tag, page.category);
    }
  }
  return undefined;
}
