/**
 * Text of a skill as it may stand in an answer. Skills come with repositories, from anybody: what they say must stay on
 * its line, be visible to a person as to the model, and not look like a message of the conversation.
 */

/** More of a text is never looked at, in characters. */
const MAX_READ = 4_000;

const ROLE_TAG = /<\s*\/?\s*(?:system|human|assistant|user|tool_use|tool_result|function_calls|invoke)\b[^<>]*>?/giu;

/** One line without control and invisible characters and role tags, cut at `max` characters. */
export function clean(text: string, max: number): string {
  const visible = text
    .slice(0, MAX_READ)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/(?![\u200C\u200D])\p{Cf}/gu, "")
    .replace(/\p{Cs}/gu, "\uFFFD");
  const line = withoutTags(visible).replace(/\s+/g, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Taking a tag out may put together another one. */
function withoutTags(text: string): string {
  const less = text.replace(ROLE_TAG, "");
  return less === text ? text : withoutTags(less);
}
