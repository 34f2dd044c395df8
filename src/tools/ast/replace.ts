/** `ast_grep_replace`: the changes that the engine planned, shown or made. */
import type { Language } from "../../ast/languages.js";
import type { Edit, FileEdits, ReplaceOutcome } from "../../ast/protocol.js";
import { cut } from "../../lib/cut.js";
import { fail, ok, type ToolResult } from "../types.js";
import { notCode } from "./advice.js";
import { ask, AstError, failure, omissions, sawFiles, startingPath } from "./answer.js";
import { applyAll, type Written } from "./apply-edits.js";

const MAX_BLOCKS = 50;
const MAX_FAILURES = 20;
/** Characters shown of a text before or after. */
const MAX_SHOWN = 600;

export interface ReplaceArguments {
  pattern: string;
  replacement: string;
  language: Language;
  path: string;
  dryRun: boolean;
}

export async function runReplace(args: ReplaceArguments, signal: AbortSignal): Promise<ToolResult> {
  try {
    const { pattern, replacement, language, dryRun } = args;
    const path = await startingPath(args.path);
    const outcome = await ask({ kind: "replace", pattern, replacement, language, path }, signal);
    if (outcome.files.length === 0 && outcome.unclean && outcome.scan.scanned > 0) throw new AstError(notCode(pattern, language));
    if (outcome.files.length === 0) return ok(nothing(args, outcome));
    if (dryRun) return ok(report("DRY RUN (no changes applied)", args, outcome, [], ["", advice(outcome)]));
    if (outcome.scan.stopped !== undefined) throw new AstError(`nothing was written. ${omissions(outcome.scan).join(" ")}`);
    return applied(args, outcome, await applyAll(outcome.files, signal));
  } catch (error) {
    return failure("AST replace", error);
  }
}

function nothing({ pattern, language, path }: ReplaceArguments, { scan }: ReplaceOutcome): string {
  if (!sawFiles(scan)) return `No ${language} files found in ${cut(path)}`;
  const searched = `Searched ${scan.scanned} ${language} file(s) in ${cut(path)}`;
  return [`No matches found for pattern: ${cut(pattern)}`, "", searched, ...omissions(scan)].join("\n");
}

/** What to do after a dry run. */
function advice({ scan }: ReplaceOutcome): string {
  if (scan.stopped === undefined) return "To apply the changes, call again with dryRun: false";
  return "They cannot be applied like this, since more would be left; see above";
}

function applied(args: ReplaceArguments, outcome: ReplaceOutcome, results: Written[]): ToolResult {
  const failed = results.filter(({ reason }) => reason !== undefined);
  const lines = [`Files written: ${results.length - failed.length}`];
  if (failed.length > 0) {
    lines.push(`Files NOT written: ${failed.length}`, ...failed.slice(0, MAX_FAILURES).map(({ file, reason }) => `  ${file}: ${reason}`));
    if (failed.length > MAX_FAILURES) lines.push(`  and ${failed.length - MAX_FAILURES} more`);
  }
  if (failed.length === 0) return ok(report("CHANGES APPLIED", args, outcome, lines, []));
  const written = new Set(results.filter(({ reason }) => reason === undefined).map(({ file }) => file));
  const files = outcome.files.filter(({ file }) => written.has(file));
  const first = files.length === 0 ? "NO CHANGES APPLIED" : "CHANGES APPLIED IN PART";
  return fail(report(first, args, { ...outcome, files }, lines, []));
}

function report(first: string, { pattern, replacement }: ReplaceArguments, outcome: ReplaceOutcome, status: string[], last: string[]): string {
  const { files, scan, nested } = outcome;
  const edits = files.flatMap(({ file, edits: own }) => own.map((edit) => ({ file, edit })));
  const lines = [
    first,
    "",
    `Found ${edits.length} replacement(s) in ${scan.scanned} file(s)`,
    `Pattern: ${cut(pattern)}`,
    `Replacement: ${cut(replacement)}`,
    `Files with matches: ${files.length}`,
    ...status,
    ...omissions(scan),
  ];
  if (nested > 0) lines.push(`Left alone: ${nested} match(es) inside other matches; run the call again for them`);
  lines.push("", edits.slice(0, MAX_BLOCKS).map(({ file, edit }) => block(file, edit)).join("\n\n"));
  if (edits.length > MAX_BLOCKS) lines.push("", `... and ${edits.length - MAX_BLOCKS} more changes`);
  return [...lines, ...last].join("\n");
}

function block(file: FileEdits["file"], { line, before, text }: Edit): string {
  return [`${file}:${line}`, ...marked("-", before), ...marked("+", text)].join("\n");
}

function marked(mark: string, text: string): string[] {
  const shown = text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
  return shown.split(/\r?\n/).map((line) => `  ${mark} ${line}`);
}
