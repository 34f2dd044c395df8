/** The text of a directory check, of which the summary has three states: passed, failed, incomplete. */
import { fail, ok, type ToolResult } from "../../types.js";
import { fittedText } from "../fitted.js";

export interface Report {
  strategy: "tsc" | "lsp";
  state: "passed" | "failed" | "incomplete";
  errors: number;
  warnings: number;
  /** What was counted besides: files checked, or what could not be. */
  extent?: string;
  /** Nothing at all was checked, so this is no answer to the question. */
  nothingChecked: boolean;
  /** Problems by file, each block with a heading. */
  problems: string[];
  /** Paragraphs before the problems: what is missing, what was done instead. */
  notices: string[];
}

const CHECKS = { tsc: "TypeScript", lsp: "LSP" } as const;

export function reportResult(report: Report): ToolResult {
  const { strategy, state, errors, warnings, extent, notices, problems, nothingChecked } = report;
  const counts = `${errors} errors, ${warnings} warnings${extent === undefined ? "" : ` (${extent})`}`;
  const body = [...notices, ...(problems.length > 0 ? [fittedText(problems, "\n\n", "file")] : [])];
  const lines = [
    "## Directory Diagnostics",
    `Strategy: ${strategy}\nSummary: ${CHECKS[strategy]} check ${state}: ${counts}`,
    ...(errors + warnings > 0 ? ["### Diagnostics"] : []),
    ...(body.length > 0 ? body : [restText(state)]),
  ];
  const text = lines.join("\n\n");
  return nothingChecked ? fail(text) : ok(text);
}

function restText(state: Report["state"]): string {
  return state === "passed" ? "No problems found." : "The problems are not known.";
}
