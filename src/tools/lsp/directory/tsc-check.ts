/**
 * Checks TypeScript projects with the compiler, without a file written in them: `tsc -b` would leave build information
 * behind even with `--noEmit`, so each project that the configuration stands for is checked on its own, and build
 * information goes to a temporary folder. A project that needs the built output of another, which is not there, is
 * checked against the sources instead.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { onStop } from "../../../mcp/stop-hooks.js";
import { type Outcome, runProgram } from "./run-program.js";
import type { Finding } from "./tsc-output.js";
import type { Compiler } from "./tsc-program.js";
import { TscOutput } from "./tsc-output.js";
import { type TscProject, tscProjects } from "./tsc-projects.js";
import { writeSourceConfig } from "./tsc-source-config.js";

export interface TscResult {
  /** Each once, paths relative to the directory. */
  findings: Finding[];
  errors: number;
  warnings: number;
  /** What was not checked, and why. */
  unchecked: string[];
  projects: number;
}

export interface TscRun {
  tsc: Compiler;
  directory: string;
  /** For all projects together, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** What tsc says when the output of a project that it refers to was never built. */
const NOT_BUILT = 6305;
const AT_ONCE = 2;

/** Ends, and takes its temporary folder away, also when the server stops meanwhile. */
export async function checkWithTsc(run: TscRun): Promise<TscResult> {
  const stopping = new AbortController();
  const result = check({ ...run, signal: AbortSignal.any([run.signal, stopping.signal]) });
  const takeBack = onStop("checks by tsc", async () => {
    stopping.abort();
    await result.catch(() => {});
  });
  return result.finally(takeBack);
}

async function check(run: TscRun): Promise<TscResult> {
  const { projects, left } = await tscProjects(join(run.directory, "tsconfig.json"));
  const result = new Results(run.directory);
  result.unchecked.push(...left.map((path) => `${relative(run.directory, path)}: the reference cannot be followed`));
  const until = Date.now() + run.timeoutMs;
  const scratch = await mkdtemp(join(tmpdir(), "omc-tsc-"));
  try {
    const due = projects.map((project, number) => ({ project, folder: join(scratch, String(number)) }));
    const worker = async (): Promise<void> => {
      for (let next = due.shift(); next !== undefined; next = due.shift()) {
        await mkdir(next.folder);
        await checkProject(next.project, next.folder, run, until, result);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
  return { ...result.all(), unchecked: result.unchecked, projects: projects.length };
}

async function checkProject({ config, refers }: TscProject, folder: string, run: TscRun, until: number, result: Results): Promise<void> {
  const { tsc, directory: cwd, signal } = run;
  const compile = async (onLine: (line: string) => void, ...args: string[]): Promise<Outcome> =>
    runProgram({ command: tsc.command, args: [...tsc.args, ...args], cwd, timeoutMs: Math.max(1, until - Date.now()), signal, onLine });
  const onlyCheck = ["--noEmit", "--pretty", "false"];
  const output = new TscOutput();
  const outcome = await compile((line) => output.add(line), "-p", config, ...onlyCheck, "--incremental", "--tsBuildInfoFile", join(folder, "info"));
  if (!refers || !output.findings.some(({ code }) => code === NOT_BUILT)) {
    result.add(config, output, outcome);
    return;
  }
  const listed: string[] = [];
  const shown = await compile((line) => listed.push(line), "-p", config, "--showConfig");
  const own = "code" in shown && shown.code === 0 ? await writeSourceConfig(config, listed.join("\n"), folder) : undefined;
  if (own === undefined) {
    result.add(config, output, outcome);
    return;
  }
  const second = new TscOutput();
  const ending = await compile((line) => second.add(line), "-p", join(folder, "tsconfig.json"), ...onlyCheck);
  // Sources of other projects are judged by their own settings, when it is their turn.
  result.add(config, second, ending, ({ file }) => file === undefined || own.has(resolve(run.directory, file)));
}

/** Findings of all projects. A file that is in several of them is told about once. */
class Results {
  readonly unchecked: string[] = [];
  readonly #directory: string;
  readonly #findings = new Map<string, Finding>();
  #uncounted = { errors: 0, warnings: 0 };

  constructor(directory: string) {
    this.#directory = directory;
  }

  add(config: string, output: TscOutput, outcome: Outcome, isOwn: (finding: Finding) => boolean = () => true): void {
    const name = relative(this.#directory, config) || config;
    for (const finding of output.findings.filter(isOwn)) {
      const file = finding.file ?? name;
      this.#findings.set(JSON.stringify([file, finding.line, finding.column, finding.code, finding.message]), { ...finding, file });
    }
    const kept = output.findings.length;
    const surplus = output.errors + output.warnings - kept;
    if (surplus > 0) {
      const keptErrors = output.findings.filter(({ severity }) => severity === "error").length;
      this.#uncounted.errors += output.errors - keptErrors;
      this.#uncounted.warnings += output.warnings - (kept - keptErrors);
    }
    const why = whyUnchecked(output, outcome);
    if (why !== undefined) this.unchecked.push(`${name}: ${why}`);
  }

  all(): { findings: Finding[]; errors: number; warnings: number } {
    const findings = [...this.#findings.values()];
    const errors = findings.filter(({ severity }) => severity === "error").length;
    return {
      findings,
      errors: errors + this.#uncounted.errors,
      warnings: findings.length - errors + this.#uncounted.warnings,
    };
  }
}

/** A compiler that ended without errors found, and not well, has not checked. */
function whyUnchecked({ errors, other }: TscOutput, outcome: Outcome): string | undefined {
  if ("trouble" in outcome) return `tsc did not end: ${outcome.trouble}`;
  if (outcome.code === 0 || errors > 0) return undefined;
  return `tsc ended with code ${outcome.code}${other.length > 0 ? `: ${other.join(" ").slice(0, 500)}` : " and said nothing"}`;
}
