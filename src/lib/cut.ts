/** A caller's own text, as it is told back to the caller. */

const MAX_CHARACTERS = 300;

/** The text, or its beginning and its length when it is too long to be of use in a message. */
export function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters)`;
}
