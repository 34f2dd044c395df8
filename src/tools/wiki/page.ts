/**
 * The text of a page. Bytes matter: oh-my-claudecode writes and reads the same files.
 *
 *     ---
 *     title: "JWT"
 *     tags: ["auth", "a, b"]
 *     created: 2026-11-30T02:16:40.000Z
 *     updated: 2026-11-30T02:16:40.000Z
 *     sources: []
 *     links: ["token-store.md"]
 *     category: architecture
 *     confidence: high
 *     schemaVersion: 1
 *     ---
 *
 *     # JWT
 *
 *     content
 *
 * Reading is lenient, since people edit pages: CRLF, a byte order mark, bare or single-quoted values and YAML's lists
 * of one item a line are understood. Lines of other fields are kept as they are, behind the known ones.
 */
import { parseList, parseScalar, renderList, renderScalar } from "./values.js";

export const CATEGORIES = [
  "architecture",
  "decision",
  "pattern",
  "debugging",
  "environment",
  "session-log",
  "reference",
  "convention",
] as const;
export const CONFIDENCES = ["high", "medium", "low"] as const;

export type Category = (typeof CATEGORIES)[number];
export type Confidence = (typeof CONFIDENCES)[number];

export interface Page {
  /** Empty when the file gives none. */
  title: string;
  tags: string[];
  /** ISO times as written; empty when the file gives none. */
  created: string;
  updated: string;
  sources: string[];
  /** File names of pages. */
  links: string[];
  /** One of {@link CATEGORIES}, unless somebody else wrote the page. */
  category: string;
  /** One of {@link CONFIDENCES}, unless somebody else wrote the page. */
  confidence: string;
  schemaVersion: number;
  /** Frontmatter lines that are not ours. */
  extra: string[];
  /** Everything behind the frontmatter, with `\n` as line ending. */
  body: string;
}

/** A frontmatter over this size is none; in characters. */
export const MAX_HEAD = 512 * 1024;
const OPENING = "---\n";
const CLOSING = "\n---\n";
const FIELDS = ["title", "tags", "created", "updated", "sources", "links", "category", "confidence", "schemaVersion"] as const;
type Field = (typeof FIELDS)[number];

/** The page, or undefined when the text does not begin with a frontmatter, of at most {@link MAX_HEAD}, that has a known field. */
export function parsePage(text: string): Page | undefined {
  const lines = unifyLines(text);
  if (!lines.startsWith(OPENING)) return undefined;
  let end = lines.indexOf(CLOSING, OPENING.length - 1);
  if (end < 0 && lines.endsWith(CLOSING.trimEnd())) end = lines.length - CLOSING.trimEnd().length;
  if (end < 0 || end > MAX_HEAD) return undefined;
  const { values, items, extra } = readFields(lines.slice(OPENING.length, end).split("\n"));
  if (values.size === 0) return undefined;
  const scalar = (field: Field) => parseScalar(values.get(field) ?? "");
  const list = (field: Field) => [...parseList(values.get(field) ?? ""), ...(items.get(field) ?? [])];
  return {
    title: scalar("title"),
    tags: list("tags"),
    created: scalar("created"),
    updated: scalar("updated"),
    sources: list("sources"),
    links: list("links"),
    category: scalar("category") || "reference",
    confidence: scalar("confidence") || "medium",
    schemaVersion: Number.parseInt(scalar("schemaVersion"), 10) || 1,
    extra,
    body: lines.slice(end + CLOSING.length),
  };
}

/** The text of the file. */
export function renderPage(page: Page): string {
  const head = [
    `title: ${renderScalar(page.title)}`,
    `tags: ${renderList(page.tags)}`,
    `created: ${bare(page.created)}`,
    `updated: ${bare(page.updated)}`,
    `sources: ${renderList(page.sources)}`,
    `links: ${renderList(page.links)}`,
    `category: ${bare(page.category)}`,
    `confidence: ${bare(page.confidence)}`,
    `schemaVersion: ${page.schemaVersion}`,
    ...page.extra,
  ];
  return `${OPENING}${head.join("\n")}${CLOSING}${page.body}`;
}

/** The body of a page that has only this content. */
export function newBody(title: string, content: string): string {
  return `\n# ${title}\n\n${content}\n`;
}

/** The body with the content added as an update of that time. */
export function updatedBody(body: string, time: string, content: string): string {
  return `${body.trimEnd()}\n\n---\n\n## Update (${time})\n\n${content}\n`;
}

/** Text without byte order mark and carriage returns before line feeds. */
export function unifyLines(text: string): string {
  return (text.startsWith("\uFEFF") ? text.slice(1) : text).replaceAll("\r\n", "\n");
}

/** The names inside `[[…]]`, each once, without what follows `|`. */
export function linkedNames(content: string): string[] {
  const names = new Set<string>();
  for (const [, inner = ""] of content.matchAll(/\[\[([^[\]\n]{1,300})\]\]/g)) {
    const name = (/^[^|]*/.exec(inner)?.[0] ?? "").trim();
    if (name !== "") names.add(name);
  }
  return [...names];
}

interface Fields {
  /** As written; of a field that comes twice the last counts. */
  values: Map<Field, string>;
  /** List items on lines of their own. */
  items: Map<Field, string[]>;
  extra: string[];
}

function readFields(lines: string[]): Fields {
  const fields: Fields = { values: new Map(), items: new Map(), extra: [] };
  let current: Field | undefined;
  for (const line of lines) {
    const [, name = "", value = ""] = /^([A-Za-z]\w*)\s*:(.*)$/s.exec(line) ?? [];
    const item = /^\s*-\s+(\S.*)$/s.exec(line)?.[1];
    const open = item === undefined || current === undefined ? undefined : openList(current, fields);
    if (isField(name)) {
      current = name;
      fields.values.set(name, value.trim());
      fields.items.delete(name);
    } else if (item !== undefined && open !== undefined) {
      open.push(parseScalar(item));
    } else {
      if (name !== "") current = undefined;
      if (line.trim() !== "") fields.extra.push(line);
    }
  }
  return fields;
}

/** Where items on lines of their own go; undefined when the field takes none, or has a value of another form. */
function openList(field: Field, { values, items }: Fields): string[] | undefined {
  if (field !== "tags" && field !== "sources" && field !== "links") return undefined;
  const value = values.get(field) ?? "";
  if (value !== "" && !value.startsWith("[")) return undefined;
  const list = items.get(field) ?? [];
  items.set(field, list);
  return list;
}

function isField(name: string): name is Field {
  return (FIELDS as readonly string[]).includes(name);
}

/** A value that is written without quotes stays on its line. */
function bare(value: string): string {
  return value.replace(/[\r\n]+/g, " ").trim();
}
