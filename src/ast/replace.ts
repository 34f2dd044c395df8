/** Planning a replacement: which part of which file becomes what. Nothing is written here. */
import type { Language } from "./languages.js";
import type { Grammar, Node } from "./module.js";
import { type Pattern } from "./pattern.js";
import type { Edit, FileEdits, ReplaceOutcome, ReplaceRequest } from "./protocol.js";
import { type Found, Lines, scanFiles, span } from "./scan.js";
import { digestOf } from "./source-file.js";
import { readTemplate, render, type Template } from "./template.js";

const MAX_EDITS = 20_000;
/** Characters of all edits, old and new. */
const MAX_CHARACTERS = 16_000_000;
/** Languages in which `(a,)` is not `(a)`. */
const TUPLES: readonly Language[] = ["python", "rust"];

/** @throws {UnboundError} when the replacement uses what the pattern does not capture. */
export async function planReplacement(request: ReplaceRequest, grammar: Grammar, pattern: Pattern): Promise<ReplaceOutcome> {
  const template = readTemplate(request.replacement, pattern.variables);
  const commaMatters = TUPLES.includes(request.language);
  const files: FileEdits[] = [];
  let nested = 0;
  let count = 0;
  let characters = 0;
  const scan = await scanFiles(request, grammar, pattern, (found) => {
    const planned = editsOf(found, pattern, template, commaMatters);
    files.push({ file: found.file, digest: digestOf(found.bytes), edits: planned.edits });
    nested += planned.nested;
    count += planned.edits.length;
    characters += planned.edits.reduce((sum, edit) => sum + edit.text.length + edit.before.length, 0);
    return count > MAX_EDITS || characters > MAX_CHARACTERS ? "size" : undefined;
  });
  return { kind: "replace", scan, files, nested, unclean: pattern.unclean };
}

/** One edit for each match that is in no other match. */
function editsOf({ text, nodes }: Found, pattern: Pattern, template: Template, commaMatters: boolean) {
  const lines = new Lines(text);
  const lineEnd = lines.count > 1 && text.charAt(lines.start(1) - 2) === "\r" ? "\r\n" : "\n";
  const edits: Edit[] = [];
  let nested = 0;
  let done = 0;
  for (const node of nodes) {
    const { start, end: nodeEnd } = span(node);
    if (start < done) {
      nested++;
      continue;
    }
    const end = endOfEdit(node, pattern, template);
    const line = lines.at(start);
    const indent = /^[ \t]*/.exec(lines.read(line).slice(0, start - lines.start(line)))?.[0] ?? "";
    const captured = (name: string) => capturedText(node, name, text);
    edits.push({
      start,
      end,
      text: render(template, { captured, indent, lineEnd, commaMatters }),
      line: line + 1,
      before: text.slice(start, end),
    });
    done = Math.max(nodeEnd, start + 1);
  }
  return { edits, nested };
}

/** As it stands in the source, from the first to the last node with all that is between them. */
function capturedText(node: Node, name: string, text: string): string {
  const one = node.getMatch(name);
  const nodes = one === null ? node.getMultipleMatches(name) : [one];
  const [first, last] = [nodes[0], nodes.at(-1)];
  return first === undefined || last === undefined ? "" : text.slice(span(first).start, span(last).end);
}

/**
 * A match of `var $N = $V` may take the semicolon along that the pattern does not name. It stays, unless the match is
 * deleted, the replacement brings its own, or it belongs to something that was captured.
 */
function endOfEdit(node: Node, pattern: Pattern, template: Template): number {
  const { start, end } = span(node);
  const last = lastLeaf(node);
  const mark = last.text();
  const kept = mark === ";" && pattern.lastCharacter !== mark && template.lastCharacter !== mark && !template.deletes;
  const from = span(last).start;
  if (!kept || from <= start || isCaptured(node, from, pattern)) return end;
  return from;
}

function lastLeaf(node: Node): Node {
  const children = node.children();
  const last = children.at(-1);
  return last === undefined ? node : lastLeaf(last);
}

function isCaptured(node: Node, offset: number, { variables }: Pattern): boolean {
  for (const name of variables) {
    const one = node.getMatch(name);
    for (const found of one === null ? node.getMultipleMatches(name) : [one]) {
      const { start, end } = span(found);
      if (start <= offset && offset < end) return true;
    }
  }
  return false;
}
