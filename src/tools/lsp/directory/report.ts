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
  problems: FileProblems[];
  /** Paragraphs before the problems: what is missing, what was done instead. */
  notices: string[];
}

export interface FileProblems {
  /** Relative to the directory. */
  file: string;
  /** As they are shown; may have several lines. */
  entries: string[];
}

const CHECKS = { tsc: "TypeScript", lsp: "LSP" } as const;

export function reportResult(report: Report): ToolResult {
  const { strategy, state, errors, warnings, extent, notices, problems, nothingChecked } = report;
  const counts = `${errors} errors, ${warnings} warnings${extent === undefined ? "" : ` (${extent})`}`;
  const body = [...notices, ...(problems.some(({ entries }) => entries.length > 0) ? [problemsText(problems)] : [])];
  const lines = [
    "## Directory Diagnostics",
    `Strategy: ${strategy}\nSummary: ${CHECKS[strategy]} check ${state}: ${counts}`,
    ...(errors + warnings > 0 ? ["### Diagnostics"] : []),
    ...(body.length > 0 ? body : [restText(state)]),
  ];
  const text = lines.join("\n\n");
  return nothingChecked ? fail(text) : ok(text);
}

/** A block for each file, blocks apart by an empty line; what would be too long is left out entry by entry. */
function problemsText(problems: readonly FileProblems[]): string {
  const pieces = problems.filter(({ entries }) => entries.length > 0).flatMap(({ file, entries }, block) => {
    const heading = `${block > 0 ? "\n" : ""}${file}:\n`;
    return entries.map((entry, index) => (index === 0 ? heading + entry : entry));
  });
  return fittedText(pieces, "\n", "problem");
}

function restText(state: Report["state"]): string {
  return state === "passed" ? "No problems found." : "The problems are not known.";
}
