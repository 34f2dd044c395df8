/**
 * A pattern before it is used. It has to be one node of the language: of an empty pattern, or one of several nodes,
 * older matchers die, and newer ones find nothing. What parses only inside other code gets that code around it.
 */
import { hasBraces, type Language, MISREADINGS, type Surroundings, SURROUNDINGS } from "./languages.js";
import type { Grammar, Matcher, Node } from "./module.js";
import { variablesOf } from "./template.js";

export interface Pattern {
  matcher: Matcher;
  /** Some of it does not parse; it may still match code that is broken in the same way. */
  unclean: boolean;
  /** Words that every match contains; none when that is not certain. */
  words: readonly string[];
  /** Names of its variables. */
  variables: ReadonlySet<string>;
  /** What it ends in, white space aside. */
  lastCharacter: string;
}

/** Says what is wrong, for the caller. */
export class PatternError extends Error {
  override name = "PatternError";
}

/** @throws {PatternError} when the pattern cannot be used. */
export function readPattern(text: string, language: Language, grammar: Grammar): Pattern {
  const source = text.trim();
  if (source === "") throw new PatternError("the pattern is empty");
  const root = grammar.parse(withSigil(source, grammar.sigil));
  const nodes = rootNodes(root);
  const unclean = hasError(root);
  const suspicious = nodes.length !== 1 || unclean || isMisread(root, language);
  const around = suspicious ? surroundings(source, language, grammar) : undefined;
  if (around === undefined && nodes.length !== 1) throw severalNodes(nodes, grammar.sigil, language);
  const broken = unclean && around === undefined;
  // As a rule: given as mere text, a pattern that the matcher refuses ends the process in older releases.
  const matcher: Matcher = around ?? { rule: { pattern: source } };
  tryOut(matcher, root, grammar);
  return {
    matcher,
    unclean: broken,
    words: broken ? [] : literalWords(source),
    variables: variablesOf(source),
    lastCharacter: source.slice(-1),
  };
}

/**
 * The pattern as the matcher parses it: `$` of a variable becomes the sigil.
 */
export function withSigil(pattern: string, sigil: string): string {
  if (sigil === "$") return pattern;
  return pattern.replace(/(\$+)([^$]|$)/gu, (whole, dollars: string, next: string) => {
    const variable = /^[A-Z_]/.test(next) || dollars.length === 3;
    return variable ? sigil.repeat(dollars.length) + next : whole;
  });
}

/** The pattern as it was written, to be shown. */
function withoutSigil(text: string, sigil: string): string {
  if (sigil === "$") return text;
  return text.replace(new RegExp(`(?:${sigil}){1,3}(?=[A-Z_]|$)`, "gu"), (found) => "$".repeat(found.length / sigil.length));
}

/** @throws {PatternError} when the matcher refuses the pattern, which it says only when it is to search something. */
function tryOut(matcher: Matcher, something: Node, { sigil }: Grammar): void {
  try {
    something.find(matcher);
  } catch (error) {
    const said = String(error instanceof Error ? error.message : error).split("|->").at(-1)?.trim() ?? "";
    if (said.startsWith("Multiple AST nodes")) throw new PatternError("the pattern is several pieces of code and has to be one");
    if (said.startsWith("Standalone multi")) throw new PatternError("$$$ alone is every piece of code; write $NAME, or put it into other code");
    throw new PatternError(`the matcher refuses the pattern: ${withoutSigil(said, sigil)}`);
  }
}

/** A node that the parser had to invent has no text. */
function rootNodes(root: Node): Node[] {
  return root.children().filter((node) => node.text() !== "");
}

function severalNodes(nodes: Node[], sigil: string, language: Language): PatternError {
  if (nodes.length === 0) return new PatternError("the pattern has no code in it");
  const shown = nodes.slice(0, 3).map((node) => `'${shorten(withoutSigil(node.text(), sigil))}'`);
  return new PatternError(
    `the pattern is ${nodes.length} pieces of code (${shown.join(", ")}${nodes.length > 3 ? ", …" : ""}) and has to be one; ` +
      `search for one of them${hasBraces(language) ? ", or for the block around them: { $$$BODY }" : ""}`,
  );
}

function shorten(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}

function hasError(node: Node): boolean {
  return node.kind() === "ERROR" || node.children().some(hasError);
}

function isMisread(root: Node, language: Language): boolean {
  const kinds = MISREADINGS[language];
  if (kinds === undefined) return false;
  for (let node: Node | null = root; node !== null; ) {
    if (kinds.includes(String(node.kind()))) return true;
    const children = rootNodes(node);
    node = children.length === 1 ? (children[0] ?? null) : null;
  }
  return false;
}

/** A matcher for the pattern inside other code, if it is whole and without errors there. */
function surroundings(source: string, language: Language, grammar: Grammar): Matcher | undefined {
  const wanted = withSigil(source.replace(/;$/, ""), grammar.sigil);
  for (const { before, after, kinds } of SURROUNDINGS[language] ?? []) {
    const inside = placed(source, { before, after, kinds });
    const root = grammar.parse(withSigil(inside, grammar.sigil));
    if (hasError(root)) continue;
    const kind = kindOf(root, kinds, wanted);
    if (kind !== undefined) return { rule: { pattern: { context: inside, selector: kind } } };
  }
  return undefined;
}

/** The kind, one of `kinds`, of the outermost node that is the text. */
function kindOf(node: Node, kinds: readonly string[], text: string): string | undefined {
  const kind = String(node.kind());
  if (kinds.includes(kind) && node.text().replace(/;$/, "") === text) return kind;
  for (const child of node.children()) {
    const found = kindOf(child, kinds, text);
    if (found !== undefined) return found;
  }
  return undefined;
}

function placed(source: string, { before, after }: Surroundings): string {
  return before + (after.startsWith(";") ? source.replace(/;$/, "") : source) + after;
}

/** Names and keywords outside of variables. A match contains each of them as it is. */
function literalWords(source: string): string[] {
  const literal = source.replace(/\$+[A-Z_][A-Z0-9_]*/g, " ");
  return [...new Set(literal.match(/[A-Za-z_][A-Za-z0-9_]+/g) ?? [])];
}
