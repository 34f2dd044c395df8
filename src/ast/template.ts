/**
 * What stands in the place of a match. The replacement is cut once into its own text and its variables; what a variable
 * captured is put in as it is and never looked at again.
 */

/** `$NAME`, `$$NAME` or `$$$NAME`. */
const VARIABLE = /\$\$?\$?([A-Z_][A-Z0-9_]*)/g;

/** The same in a pattern, where `$Name` is a name like any other. */
const WHOLE_VARIABLE = /\$\$?\$?([A-Z_][A-Z0-9_]*)(?![A-Za-z0-9_])/g;

/** `$$$` that no name follows. */
const NAMELESS = /(?<!\$)\$\$\$(?![$\w])/;

type Piece = { text: string } | { name: string };

export interface Template {
  pieces: readonly Piece[];
  /** Whether it is nothing but white space: the match is to be deleted. */
  deletes: boolean;
  lastCharacter: string;
}

/** Where a replacement lands. */
export interface Landing {
  /** What a variable captured; empty for a `$$$NAME` that captured nothing. */
  captured(name: string): string;
  /** White space at the beginning of the line that the match begins on. */
  indent: string;
  /** How the file ends its lines. */
  lineEnd: string;
  /** A comma before a closing bracket may change the meaning, as in a tuple of one. */
  commaMatters: boolean;
}

/** Names that a pattern captures: all but those that begin with `_`. */
export function variablesOf(pattern: string): Set<string> {
  return new Set([...pattern.matchAll(WHOLE_VARIABLE)].map((found) => found[1] as string).filter((name) => !name.startsWith("_")));
}

/**
 * Cuts a replacement. `$name`, `$Name` and `${` are no variables, unless `Name` begins with the name of one.
 * @throws {UnboundError} for a variable that the pattern does not capture.
 */
export function readTemplate(replacement: string, bound: ReadonlySet<string>): Template {
  const pieces: Piece[] = [];
  const unbound = new Set<string>();
  let from = 0;
  for (const found of replacement.matchAll(VARIABLE)) {
    const name = found[1] as string;
    const end = found.index + found[0].length;
    if (!bound.has(name)) {
      if (!/^[a-z]/.test(replacement.slice(end))) unbound.add(found[0]);
      continue;
    }
    pieces.push({ text: replacement.slice(from, found.index) }, { name });
    from = end;
  }
  pieces.push({ text: replacement.slice(from) });
  if (NAMELESS.test(replacement)) unbound.add("$$$ without a name");
  if (unbound.size > 0) throw new UnboundError([...unbound], bound);
  return { pieces, deletes: replacement.trim() === "", lastCharacter: replacement.trimEnd().slice(-1) };
}

export class UnboundError extends Error {
  override name = "UnboundError";

  constructor(unbound: string[], bound: ReadonlySet<string>) {
    const known = bound.size === 0 ? "the pattern captures nothing" : `the pattern captures ${[...bound].map((name) => `$${name}`).join(", ")}`;
    super(`the replacement uses ${unbound.join(", ")}, and ${known}`);
  }
}

/** The text for one match. */
export function render({ pieces }: Template, landing: Landing): string {
  let out = "";
  let dropComma = false;
  for (const [index, piece] of pieces.entries()) {
    if ("text" in piece) {
      const text = dropComma ? piece.text.replace(/^\s*,\s*/, "") : piece.text;
      dropComma = false;
      // A line that is empty needs no indentation.
      out += text.replace(/\r?\n(?=(\r?\n)?)/g, (_, empty: string | undefined) => landing.lineEnd + (empty === undefined ? landing.indent : ""));
      continue;
    }
    const text = landing.captured(piece.name);
    if (text === "") {
      // Nothing was captured: `f($A, $$$REST)` becomes `f(a)`, and `f($$$REST, b)` becomes `f(b)`.
      const next = pieces[index + 1];
      const closes = next !== undefined && "text" in next && /^\s*[)\]}]/.test(next.text);
      if (closes && !landing.commaMatters) out = out.replace(/,\s*$/, "");
      dropComma = /[([{,]\s*$/.test(out);
    }
    out += text;
  }
  return out;
}
