/**
 * Problems as the tools show them:
 *
 *     Error (2322)[typescript]: Type 'string' is not assignable to type 'number'.
 *       at src/a.ts:9:7-9:10
 */
import type { Diagnostic } from "vscode-languageserver-protocol";
import type { Diagnosis } from "../../lsp/session.js";
import { clipped, fittedText } from "./fitted.js";
import { MAX_MESSAGE } from "./limits.js";
import { shownRange } from "./ranges.js";

export const SEVERITIES = ["error", "warning", "info", "hint"] as const;
export type Severity = (typeof SEVERITIES)[number];

const NAMES: Record<Severity, string> = { error: "Error", warning: "Warning", info: "Information", hint: "Hint" };

/** A problem of which the server does not say how grave it is counts as an error. */
export function severityOf({ severity }: Diagnostic): Severity {
  return SEVERITIES[(severity ?? 1) - 1] ?? "error";
}

/** What is known about a file, in words, and whether that is an answer at all. `file` is shown as the caller named it. */
export function diagnosisText(file: string, diagnosis: Diagnosis, only?: Severity): { text: string; checked: boolean } {
  if (diagnosis.state === "not-checked") return { text: `Not checked: ${file}: ${diagnosis.why}`, checked: false };
  const items = diagnosis.state === "found" ? diagnosis.items : [];
  const wanted = only === undefined ? items : items.filter((item) => severityOf(item) === only);
  if (wanted.length === 0) return { text: `No ${only === undefined ? "" : `${only} `}diagnostics in ${file}`, checked: true };
  const entries = wanted.map((item) => diagnosticEntry(item, file));
  return { text: `Found ${wanted.length} diagnostic(s):\n\n${fittedText(entries, "\n\n", "diagnostic")}`, checked: true };
}

export function diagnosticEntry(item: Diagnostic, file: string): string {
  const code = item.code === undefined || item.code === "" ? "" : ` (${item.code})`;
  const source = item.source ? `[${item.source}]` : "";
  return `${NAMES[severityOf(item)]}${code}${source}: ${clipped(messageOf(item), MAX_MESSAGE)}\n  at ${file}:${shownRange(item.range)}`;
}

/** Newer servers may mark up the message. */
function messageOf({ message }: { message: unknown }): string {
  if (typeof message === "string") return message;
  const value = (message as { value?: unknown } | undefined)?.value;
  return typeof value === "string" ? value : "(no message)";
}
