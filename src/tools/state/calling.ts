/** For tests: calls the tools of states and readiness gates in this process, through the frame's validation, inside a project of their own. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { validateArguments } from "../../mcp/validation.js";
import type { ToolDef } from "../../mcp/tool-registry.js";
import { makeProject, type Project } from "../../test-support/project.js";
import { mergeReadinessTools } from "../merge-readiness-tools.js";
import { stateTools } from "../state-tools.js";

const tools = [...stateTools, ...mergeReadinessTools] as unknown as ToolDef[];

export interface Answer {
  text: string;
  isError: boolean;
}

/** Calls a tool as the server does. */
export async function call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const checked = validateArguments(tool, args);
  if (!checked.ok) return { text: checked.text, isError: true };
  const { content, isError } = await tool.handler(checked.args, { signal: new AbortController().signal });
  return { text: content[0].text, isError: isError ?? false };
}

/** A call that must succeed; its text. */
export async function text(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const answer = await call(name, args);
  if (answer.isError) throw new Error(answer.text);
  return answer.text;
}

/** Makes a project and works in it, with its home, until the test ends. */
export async function enterProject(): Promise<Project> {
  const project = await makeProject();
  enter(project.root, project.home);
  return project;
}

/** Works in a folder until the test ends, without the environment's sessions and folders. */
export function enter(dir: string, home: string): void {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(dir);
  vi.stubEnv("HOME", home);
  for (const name of ["OMC_STATE_DIR", "OMC_SESSION_ID", "CLAUDE_SESSION_ID", "OMC_DISABLE_MULTIREPO"]) vi.stubEnv(name, undefined);
}

/** Puts a file there, with the folders above it; objects become JSON. Returns its path. */
export async function plant(path: string, content: unknown): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  return path;
}

export async function readJson(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
}

export function sessionFile(omc: string, session: string, name: string): string {
  return join(omc, "state", "sessions", session, name);
}
