/** Text of others inside our own Markdown. */

/** A list, one item a line. */
export function bullets(items: readonly string[]): string {
  return items.length === 0 ? "_None._" : items.map((item) => `- ${item.replace(/\s+/g, " ")}`).join("\n");
}

/** `0.6666` becomes `67%`. */
export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/**
 * Text as the body of a section: its headings go below ours, so that none of them passes for one of the report, and a
 * code block that it leaves open is closed. Code is left as it is. A blank text becomes `instead`.
 */
export function quoted(text: string, instead: string): string {
  if (text.trim() === "") return instead;
  let fence: string | undefined;
  const lines = text.trim().split(/\r?\n/).map((line) => {
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
    if (fence === undefined) {
      fence = mark;
      return mark === undefined ? lowered(line) : line;
    }
    if (mark !== undefined && closes(line, fence)) fence = undefined;
    return line;
  });
  return [...lines, ...(fence === undefined ? [] : [fence])].join("\n");
}

function closes(line: string, fence: string): boolean {
  const bare = line.trim();
  return bare.length >= fence.length && bare === (fence[0] as string).repeat(bare.length);
}

/** The highest heading of a report's section is of level 3, so those of a text start at 4. Underlined ones are escaped. */
function lowered(line: string): string {
  const heading = /^( {0,3})(#{1,6})(?=\s|$)/.exec(line);
  if (heading !== null) return `${heading[1]}${"#".repeat(Math.min(6, (heading[2] as string).length + 3))}${line.slice(heading[0].length)}`;
  return /^ {0,3}(=+|-+)\s*$/.test(line) ? line.replace(/[=-]/, "\\$&") : line;
}
