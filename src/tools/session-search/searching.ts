/** For tests: plants transcripts as the client writes them, and searches them through the frame. */
import { homedir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { callTool } from "../../mcp/frame.js";
import { plant } from "../state/calling.js";
import { transcriptFolder } from "./scope.js";
import type { SearchAnswer } from "./search.js";

export const folderOf = transcriptFolder;

/** A line of a transcript of session `s1`, written in this folder. */
export function record(cwd: string, fields: Record<string, unknown>): Record<string, unknown> {
  return { type: "user", sessionId: "s1", cwd, ...fields };
}

/** Writes a transcript of a session in that folder, a line for each value; texts are lines as they are. Returns its path. */
export function transcript(cwd: string, name: string, lines: readonly unknown[]): Promise<string> {
  const path = join(process.env["HOME"] ?? homedir(), ".claude", "projects", folderOf(cwd), `${name}.jsonl`);
  return plant(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
}

export async function call(args: Record<string, unknown>, signal = new AbortController().signal): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await callTool("session_search", args, { signal });
  return { text: content[0].text, isError };
}

/** A search that must succeed. */
export async function search(args: Record<string, unknown>): Promise<SearchAnswer> {
  const { text, isError } = await call(args);
  expect({ text, isError }).toMatchObject({ isError: false });
  return JSON.parse(text) as SearchAnswer;
}

/** The excerpts of a search, in their order. */
export async function found(args: Record<string, unknown>): Promise<string[]> {
  return (await search(args)).results.map(({ excerpt }) => excerpt);
}
