/** The content of a hover in its four forms: text, marked text with a language, marked content, or a list. */
import type { Hover, MarkedString, MarkupContent } from "vscode-languageserver-protocol";
import { clipped } from "./fitted.js";
import { MAX_ANSWER } from "./limits.js";
import { shownRange } from "./ranges.js";

export function hoverText(hover: Hover | null | undefined): string {
  const content = hover ? contentText(hover.contents) : "";
  if (!hover || content === "") return "No hover information available";
  const shown = clipped(content, MAX_ANSWER);
  return hover.range ? `${shown}\n\nRange: ${shownRange(hover.range)}` : shown;
}

function contentText(contents: Hover["contents"]): string {
  const parts: readonly (MarkupContent | MarkedString)[] = Array.isArray(contents) ? contents : [contents];
  return parts.map((part) => (typeof part === "string" ? part : (part?.value ?? "")).trim()).filter((part) => part !== "").join("\n\n");
}
