/**
 * How a caller's text lies in the notepad, so that it can neither end a section nor vanish.
 *
 * Other programs read the same file by simple rules: a section ends at the next `## `, comments are
 * stripped, bodies are trimmed. So on the way in
 *
 *     ## Title         becomes  #\# Title      (every `## `, also the one in `### `)
 *     <!-- remark      becomes  <\!-- remark
 *     a blank at either end of the text becomes its numeric entity, `&#32;` or `&#10;`
 *     &#32;            becomes  &\#32;
 *
 * all of which Markdown shows as the original. Text that has such backslashes already gets one more,
 * so that decoding gives back every text exactly.
 */

/** The line ending of a file. */
export type Eol = "\n" | "\r\n";

const SPECIAL = /#\\*#(?= )|<\\*!--|&\\*#(\d{1,5});/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** `text` as it is stored in a file with this line ending. Neither begins nor ends with white space. */
export function encodeContent(text: string, eol: Eol): string {
  const start = /^\s/.test(text) ? 1 : 0;
  const end = text.length > start && /\s$/.test(text) ? text.length - 1 : text.length;
  const middle = text
    .slice(start, end)
    .replace(SPECIAL, (found, code?: string) => (stays(code) ? found : `${found[0]}\\${found.slice(1)}`))
    .replace(LONE_SURROGATE, entity);
  const stored = entity(text.slice(0, start)) + middle + entity(text.slice(end));
  // In a file of CRLF lines a carriage return of the text itself would be taken for part of a line ending.
  return eol === "\n" ? stored : stored.replaceAll("\r", entity("\r")).replaceAll("\n", eol);
}

/** The opposite of {@link encodeContent}, on text whose line endings were brought to `\n` if the file has CRLF. */
export function decodeContent(stored: string): string {
  return stored.replace(SPECIAL, (found, code?: string) => {
    if (stays(code)) return found;
    if (found[1] === "\\") return `${found[0]}${found.slice(2)}`;
    return code === undefined ? found : String.fromCharCode(Number(code));
  });
}

/** Whether this is a numeric entity that we never write, so one that somebody else meant as it stands. */
function stays(code: string | undefined): boolean {
  return code !== undefined && !/^[\s\uD800-\uDFFF]$/.test(String.fromCharCode(Number(code)));
}

/** One character as a numeric entity; an empty string as itself. */
function entity(character: string): string {
  return character === "" ? "" : `&#${character.charCodeAt(0)};`;
}
