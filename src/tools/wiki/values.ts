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

/** The items of `["a", 'b', c]`; commas in quotes separate nothing. Without brackets, the commas count all the same. */
export function parseList(value: string): string[] {
  const trimmed = value.trim();
  const text = trimmed.startsWith("[") && trimmed.endsWith("]") ? trimmed.slice(1, -1) : trimmed;
  const items: string[] = [];
  let at = 0;
  while (at < text.length) {
    at += /^[\s,]*/.exec(text.slice(at, at + 64))?.[0].length ?? 0;
    const character = text[at];
    if (character === undefined) break;
    if (character === "," || character.trim() === "") continue; // more than one look at a long gap
    const quoted = quotedAt(text, at);
    if (quoted !== undefined && /^\s*(,|$)/.test(text.slice(quoted.end, quoted.end + 64))) {
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
