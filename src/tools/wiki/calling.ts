/** For tests: calls the wiki tools in this process, through the frame, inside a project of their own. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { callTool } from "../../mcp/frame.js";
import type { Project } from "../../test-support/project.js";
import { enterProject, plant } from "../state/calling.js";

export interface Answer {
  text: string;
  isError: boolean;
}

export async function call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const { content, isError } = await callTool(name, args, { signal: new AbortController().signal });
  return { text: content[0].text, isError };
}

/** A call that must succeed; its text. */
export async function said(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const answer = await call(name, args);
  expect(answer).toMatchObject({ isError: false });
  return answer.text;
}

/** A call that must be refused; its text. */
export async function refused(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const answer = await call(name, args);
  expect(answer).toMatchObject({ isError: true });
  return answer.text;
}

export function ingest(title: string, content = "text", more: Record<string, unknown> = {}): Promise<string> {
  return said("wiki_ingest", { title, content, tags: [], category: "reference", ...more });
}

export interface WikiProject extends Project {
  /** The folder of the pages. */
  wiki: string;
  plantPage(file: string, text: string): Promise<string>;
  readPage(file: string): Promise<string>;
}

export async function enterWiki(): Promise<WikiProject> {
  const project = await enterProject();
  const wiki = join(project.omc, "wiki");
  return {
    ...project,
    wiki,
    plantPage: (file, text) => plant(join(wiki, file), text),
    readPage: (file) => readFile(join(wiki, file), "utf8"),
  };
}

export function freezeTime(iso: string): void {
  vi.useFakeTimers({ now: new Date(iso), toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}
