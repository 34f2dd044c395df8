/** Both servers, each in a project of its own that looks the same, so that one call can be put to both. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeProject, type Project } from "../test-support/project.js";
import { startServer, type TestServer, type ToolAnswer } from "../test-support/server.js";
import { referenceBundle } from "./reference.js";

export type Who = "ours" | "reference";

export interface Twin {
  who: Who;
  project: Project;
  server: TestServer;
}

export interface TwinOptions {
  /** Files to lay down in each project before its server starts: path below the project → text. */
  files?: Record<string, string>;
  /** The same below the home folder. */
  home?: Record<string, string>;
  env?: Record<string, string>;
}

/** Starts both. They end with the test. */
export async function startTwins(options: TwinOptions = {}): Promise<{ ours: Twin; reference: Twin }> {
  const [ours, reference] = await Promise.all([startTwin("ours", options), startTwin("reference", options)]);
  return { ours, reference };
}

async function startTwin(who: Who, { files = {}, home = {}, env = {} }: TwinOptions): Promise<Twin> {
  const project = await makeProject();
  await layDown(project.root, files);
  await layDown(project.home, home);
  return { who, project, server: await startOne(who, project, env) };
}

/** One of the servers, in a project that may have others already. */
export async function startOne(who: Who, project: Project, env: Record<string, string> = {}): Promise<TestServer> {
  const bundle = who === "reference" ? { bundle: await referenceBundle() } : {};
  // Python sessions of the same name must not meet outside the projects.
  const runtime = join(project.folder, "run");
  await mkdir(runtime, { recursive: true, mode: 0o700 });
  return startServer({ root: project.root, home: project.home, env: { XDG_RUNTIME_DIR: runtime, ...env }, ...bundle });
}

async function layDown(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

/** A text with the folders of the twin taken out of it, so that both can be compared. */
export function withoutPlaces(answer: ToolAnswer, { project }: Twin): ToolAnswer {
  const text = answer.text.replaceAll(project.root, "<project>").replaceAll(project.home, "<home>");
  return { ...answer, text };
}
