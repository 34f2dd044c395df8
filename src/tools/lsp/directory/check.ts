/**
 * The check of a directory, by the TypeScript compiler or by language servers. It passes only when everything was
 * checked; what was not is said, and makes it incomplete.
 */
import { stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { fail, type ToolContext, type ToolResult } from "../../types.js";
import { askedDirectory } from "../asked-path.js";
import { diagnosticEntry, severityOf } from "../diagnostics-text.js";
import { failureText } from "../failure.js";
import { clipped } from "../fitted.js";
import { MAX_MESSAGE, silenceMs } from "../limits.js";
import { checkWithServers, type LspResult } from "./lsp-check.js";
import { type FileProblems, type Report, reportResult } from "./report.js";
import { sourceFiles } from "./source-files.js";
import { checkWithTsc, type TscResult } from "./tsc-check.js";
import type { Finding } from "./tsc-output.js";
import { type Compiler, findTsc } from "./tsc-program.js";

export interface AskedCheck {
  directory: string;
  strategy?: "tsc" | "lsp" | "auto" | undefined;
}

/** How long a whole check may take, in milliseconds. */
const CHECK_MS = 120_000;
/** More files than these are not checked one by one. */
const MAX_FILES = 1_000;
/** Names listed for one reason. */
const MAX_NAMES = 5;

export async function checkDirectory({ directory, strategy = "auto" }: AskedCheck, { signal }: ToolContext): Promise<ToolResult> {
  try {
    const path = await askedDirectory(directory);
    if (strategy === "lsp") return reportResult(await byServers(path, signal));
    if (!(await isFile(join(path, "tsconfig.json")))) {
      const notice = "There is no tsconfig.json in the directory, so language servers checked its files.";
      return reportResult(await byServers(path, signal, strategy === "tsc" ? [notice] : []));
    }
    const tsc = await findTsc(path);
    if (tsc !== undefined) return reportResult(await byTsc(path, tsc, signal));
    if (strategy === "tsc") return reportResult(withoutTsc());
    return reportResult(await byServers(path, signal, ["tsc was not found, so language servers checked the files instead."]));
  } catch (error) {
    return fail(failureText("directory diagnostics", error));
  }
}

async function byTsc(directory: string, tsc: Compiler, signal: AbortSignal): Promise<Report> {
  const { findings, errors, warnings, unchecked, projects } = await checkWithTsc({ tsc, directory, timeoutMs: CHECK_MS, signal });
  const nothingChecked = unchecked.length > 0 && unchecked.length >= projects && errors + warnings === 0;
  return {
    strategy: "tsc",
    state: errors > 0 ? "failed" : unchecked.length > 0 ? "incomplete" : "passed",
    errors,
    warnings,
    ...(unchecked.length > 0 && { extent: "not everything was checked" }),
    nothingChecked,
    problems: tscProblems(findings),
    notices: unchecked.length > 0 ? [`Not checked:\n${unchecked.map((line) => `- ${clipped(line, MAX_MESSAGE)}`).join("\n")}`] : [],
  };
}

function withoutTsc(): Report {
  const why = "Not checked: tsc was not found, neither in node_modules/.bin of the project nor on PATH. Install with: npm install -D typescript";
  return { strategy: "tsc", state: "incomplete", errors: 0, warnings: 0, extent: "not checked", nothingChecked: true, problems: [], notices: [why] };
}

async function byServers(directory: string, signal: AbortSignal, notices: string[] = []): Promise<Report> {
  const until = Date.now() + CHECK_MS;
  const { paths, more, unreadable } = await sourceFiles(directory, MAX_FILES, signal);
  const timeoutMs = Math.max(1, until - Date.now());
  const result = await checkWithServers({ directory, files: paths, fileMs: silenceMs(), timeoutMs, signal });
  const items = result.checked.flatMap((entry) => entry.items.map(severityOf));
  const errors = items.filter((severity) => severity === "error").length;
  const warnings = items.filter((severity) => severity === "warning").length;
  const checked = result.checked.length;
  const beside = sum(result.beside);
  const isWhole = sum(result.unchecked) === 0 && !more && unreadable.length === 0 && checked > 0;
  const all = `${paths.length - (checked > 0 ? beside : 0)}${more ? "+" : ""}`;
  return {
    strategy: "lsp",
    state: !isWhole ? "incomplete" : errors > 0 ? "failed" : "passed",
    errors,
    warnings,
    extent: isWhole ? `${checked} files` : `${checked}/${all} files checked`,
    nothingChecked: checked === 0,
    problems: result.checked.map(({ file, items: found }) => ({ file, entries: found.map((item) => diagnosticEntry(item, file)) })),
    notices: [...notices, ...lspNotices(result, directory, { more, unreadable, none: paths.length === 0 })],
  };
}

function lspNotices({ missing, unchecked, beside }: LspResult, directory: string, found: { more: boolean; unreadable: string[]; none: boolean }): string[] {
  const notices: string[] = [];
  if (missing.size > 0) notices.push(`⚠️ Missing language servers:\n${[...missing].toSorted().map((words) => `- ${words.replace(/\n/g, " ")}`).join("\n")}`);
  if (found.none) notices.push("Not checked: the directory has no file that a known language server checks. lsp_servers lists the file types.");
  if (found.more) notices.push(`Only the first ${MAX_FILES} files were taken; check subdirectories one by one for the rest.`);
  if (found.unreadable.length > 0) notices.push(`Folders that could not be read: ${names(found.unreadable.map((path) => relative(directory, path)))}`);
  if (unchecked.size > 0) notices.push([`Skipped ${sum(unchecked)} file(s):`, ...reasons(unchecked)].join("\n"));
  if (beside.size > 0) notices.push(`Beside the code, not checked because their server is missing: ${names([...beside.values()].flat())}`);
  return notices;
}

function reasons(groups: Map<string, string[]>): string[] {
  const lines = [...groups].map(([why, files]) => `- ${names(files)}: ${clipped(why.replace(/\nInstall with: .*/, ""), MAX_MESSAGE).replace(/\s*\n\s*/g, " ")}`);
  return lines.toSorted();
}

/** Sorted, as everything here, because files are finished in any order. */
function names(files: string[]): string {
  const shown = files.toSorted().slice(0, MAX_NAMES).join(", ");
  return files.length > MAX_NAMES ? `${shown} and ${files.length - MAX_NAMES} more` : shown;
}

function sum(groups: Map<string, string[]>): number {
  return [...groups.values()].reduce((total, files) => total + files.length, 0);
}

/** Findings by file, files in the order of their first finding. */
function tscProblems(findings: TscResult["findings"]): FileProblems[] {
  const byFile = new Map<string, string[]>();
  for (const finding of findings) {
    const file = finding.file ?? "tsconfig.json";
    const lines = byFile.get(file) ?? [];
    lines.push(findingLine(finding));
    byFile.set(file, lines);
  }
  return [...byFile].map(([file, entries]) => ({ file, entries }));
}

function findingLine({ line, column, severity, code, message }: Finding): string {
  const place = line > 0 ? `${line}:${column} - ` : "";
  return `  ${place}${severity} TS${code}: ${clipped(message.replaceAll("\n", "\n  "), MAX_MESSAGE)}`;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
