/** Values in the frontmatter of a page: quoted text and lists of it, on one line. */

const ESCAPES: Record<string, string> = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r" };
const UNESCAPED: Record<string, string> = { "\\\\": "\\", '\\"': '"', "\\n": "\n", "\\r": "\r" };

export function renderScalar(text: string): string {
  return `"${text.replace(/[\\"\n\r]/g, (character) => ESCAPES[character] ?? character)}"`;
}

export function renderList(items: readonly string[]): string {
  return `[${items.map(renderScalar).join(", ")}]`;
}

/** The text of a value in double, single or no quotes. */
export function parseScalar(value: string): string {
  const text = value.trim();
  const quoted = quotedAt(text, 0);
  return quoted !== undefined && quoted.end === text.length ? quoted.text : text;
}

const GAP = /[\s,]*/y;
const SPACE = /\s*/y;

/** The items of `["a", 'b', c]`; commas in quotes separate nothing. Without brackets, the commas count all the same. */
export function parseList(value: string): string[] {
  const trimmed = value.trim();
  const text = trimmed.startsWith("[") && trimmed.endsWith("]") ? trimmed.slice(1, -1) : trimmed;
  const items: string[] = [];
  for (let at = after(GAP, text, 0); at < text.length; at = after(GAP, text, at)) {
    const quoted = quotedAt(text, at);
    if (quoted !== undefined && isEnd(text[after(SPACE, text, quoted.end)])) {
      items.push(quoted.text);
      at = quoted.end;
    } else {
      const comma = text.indexOf(",", at);
      const end = comma < 0 ? text.length : comma;
      items.push(text.slice(at, end).trim());
      at = end;
    }
  }
  return items;
}

/** Where what the sticky expression matches at `start` ends. */
function after(expression: RegExp, text: string, start: number): number {
  expression.lastIndex = start;
  expression.test(text);
  return expression.lastIndex;
}

function isEnd(character: string | undefined): boolean {
  return character === undefined || character === ",";
}

/** The quoted text that begins at `start`, and where it ends; undefined when none does. */
function quotedAt(text: string, start: number): { text: string; end: number } | undefined {
  const quote = text[start];
  if (quote === '"') {
    for (let at = start + 1; at < text.length; at++) {
      if (text[at] === "\\") at++;
      else if (text[at] === '"') return { text: unescapeDouble(text.slice(start + 1, at)), end: at + 1 };
    }
  } else if (quote === "'") {
    for (let at = start + 1; at < text.length; at++) {
      if (text[at] !== "'") continue;
      if (text[at + 1] !== "'") return { text: text.slice(start + 1, at).replaceAll("''", "'"), end: at + 1 };
      at++;
    }
  }
  return undefined;
}

function unescapeDouble(text: string): string {
  return text.replace(/\\["\\nr]/g, (escape) => UNESCAPED[escape] ?? escape);
}
