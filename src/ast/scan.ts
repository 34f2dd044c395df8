/** Going through the files of a request: reading, leaving out, counting, and stopping in time. */
import { setImmediate } from "node:timers/promises";
import { EXTENSIONS } from "./languages.js";
import type { Grammar, Node } from "./module.js";
import type { Pattern } from "./pattern.js";
import type { Scan, Selection } from "./protocol.js";
import { readSource } from "./source-file.js";
import { TreeCache } from "./tree-cache.js";
import { sourceFiles } from "./walk.js";

const MAX_FILES = 10_000;
/** After this long a search ends with what it has, in milliseconds. */
const MAX_TIME_MS = 30_000;
/** How often it is seen whether the server is still there, in milliseconds. */
const BREATH_MS = 50;

const trees = new TreeCache();

/** A file with at least one match. */
export interface Found {
  file: string;
  text: string;
  bytes: Uint8Array;
  /** Never empty; in the order of the file, the outer before the inner. */
  nodes: Node[];
}

/** Searches every file. `use` returns a reason to stop when it has enough. */
export async function scanFiles(
  { path, language }: Selection,
  grammar: Grammar,
  pattern: Pattern,
  use: (found: Found) => Scan["stopped"],
): Promise<Scan> {
  const scan: Scan = { scanned: 0, matched: 0, tooBig: 0, notText: 0, unreadable: 0 };
  const until = performance.now() + MAX_TIME_MS;
  let breath = performance.now() + BREATH_MS;
  let seen = 0;
  for (const file of sourceFiles(path, EXTENSIONS[language])) {
    if (seen >= MAX_FILES) return { ...scan, stopped: "files" };
    if (performance.now() > until) return { ...scan, stopped: "time" };
    if (performance.now() > breath) {
      await setImmediate();
      breath = performance.now() + BREATH_MS;
    }
    seen++;
    const source = readSource(file);
    if (typeof source === "string") {
      scan[source]++;
      continue;
    }
    scan.scanned++;
    const nodes = matchesIn(file, source.text, grammar, pattern);
    if (nodes.length === 0) continue;
    scan.matched++;
    const stopped = use({ file, ...source, nodes });
    if (stopped !== undefined) return { ...scan, stopped };
  }
  return scan;
}

function matchesIn(file: string, text: string, grammar: Grammar, { matcher, words }: Pattern): Node[] {
  if (!words.every((word) => text.includes(word))) return [];
  const spans = trees.tree(file, text, grammar).findAll(matcher).map((node) => ({ node, at: span(node) }));
  return spans.sort((a, b) => a.at.start - b.at.start || b.at.end - a.at.end).map(({ node }) => node);
}

/** Where a node is, in UTF-16 units. */
export function span(node: Node): { start: number; end: number } {
  const { start, end } = node.range();
  return { start: start.index, end: end.index };
}

/** The lines of a text: offsets of their beginnings. */
export class Lines {
  readonly #starts: number[] = [0];

  constructor(readonly text: string) {
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Number of the line, from 0, that has the character at `offset`. */
  at(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  start(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  /** The text of a line without its end. */
  read(line: number): string {
    const end = line + 1 < this.#starts.length ? (this.#starts[line + 1] as number) - 1 : this.text.length;
    const text = this.text.slice(this.start(line), end);
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  }
}
