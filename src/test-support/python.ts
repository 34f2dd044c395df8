/** Sessions of `python_repl` in tests: a server of one's own, and a look at the processes that belong to it. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { makeProject, type Project } from "./project.js";
import { startServer, type TestServer, type ToolAnswer } from "./server.js";

export interface PythonServer {
  project: Project;
  server: TestServer;
  /** Where the files of sessions are: `XDG_RUNTIME_DIR/omc`. */
  runtime: string;
  env: Record<string, string>;
  /** Calls the tool for session `s`, unless `more` names another. */
  call(action: string, more?: Record<string, unknown>): Promise<ToolAnswer>;
  /** Executes code and returns the text. */
  run(code: string, more?: Record<string, unknown>): Promise<string>;
}

/** A server with a runtime folder of its own; `like` shares project and folder with another one. */
export async function startPython(env: Record<string, string> = {}, like?: PythonServer): Promise<PythonServer> {
  const project = like?.project ?? (await makeProject());
  const xdg = join(project.folder, "run");
  await mkdir(xdg, { mode: 0o700, recursive: true });
  const all = { XDG_RUNTIME_DIR: xdg, ...env };
  const server = await startServer({ ...project, env: all });
  const call = (action: string, more: Record<string, unknown> = {}) =>
    server.call("python_repl", { action, researchSessionID: "s", ...more });
  const run = async (code: string, more?: Record<string, unknown>) => (await call("execute", { code, ...more })).text;
  return { project, server, runtime: join(xdg, "omc"), env: all, call, run };
}

/** The folder of a session. */
export function sessionFolder({ runtime }: PythonServer, id = "s"): string {
  return join(runtime, createHash("sha256").update(id).digest("hex").slice(0, 12));
}

/** The record of a session's bridge. */
export async function metaOf(python: PythonServer, id = "s"): Promise<Record<string, unknown> & { pid: number }> {
  return JSON.parse(await readFile(join(sessionFolder(python, id), "bridge_meta.json"), "utf8"));
}

/** What stands under `--- name ---`. */
export function section(text: string, name: string): string {
  return text.split(`--- ${name} ---\n`)[1]?.split(/\n\n(?:---|===)/)[0] ?? "";
}

/** Asks until the answer is true; fails after half a minute. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + 30_000; ; await sleep(20)) {
    if (await isSo()) return;
    if (Date.now() > end) expect.fail(`waited 30 s for: ${what}`);
  }
}

/** Code that leaves a file in the project once it runs, and then goes on. */
export function announced(code: string, name = "began"): string {
  return `open(${JSON.stringify(name)}, "w").close()\n${code}`;
}

/** Starts code that does not end by itself, and waits until it runs. Resolves to its answer. */
export async function startRunning(python: PythonServer, code: string, more?: Record<string, unknown>): Promise<{ answer: Promise<ToolAnswer> }> {
  const name = `began-${Math.random().toString(36).slice(2)}`;
  const answer = python.call("execute", { code: announced(code, name), ...more });
  await until("the code to run", async () => (await readdir(python.project.root)).includes(name));
  return { answer };
}

/** The processes whose command line has this text, such as the runtime folder of a test; zombies do not count. */
export async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (line.includes(text)) found.push(Number(name));
  }
  return found;
}
