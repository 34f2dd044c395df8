/** For tests: a change to ask about, and questions about it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { git, type Project } from "../../test-support/project.js";
import { readJson, sessionFile } from "../state/calling.js";
import { DIMENSIONS } from "./request.js";

export const SESSION = "gate";
export const FILE = "merge-readiness-state.json";

/** What evidence is found for: a committed file with a change that is not. */
export async function makeChange({ root }: Pick<Project, "root">, name = "a.txt"): Promise<void> {
  await writeFile(join(root, name), "old\n");
  await git(root, "add", name);
  await git(root, "commit", "--quiet", `--message=add ${name}`);
  await writeFile(join(root, name), "new\n");
}

/** A question whose right option is `yes`. */
export function question(dimension: string, id = `q-${dimension}`): Record<string, unknown> {
  const options = [{ id: "yes", text: "right" }, { id: "no", text: "wrong" }];
  return { id, dimension, stem: `What of ${dimension}?`, options, correctOptionId: "yes", rationale: `because of ${dimension}` };
}

export const QUICK = ["why", "change", "risk"].map((dimension) => question(dimension));
export const STANDARD = DIMENSIONS.map((dimension) => question(dimension));

/** The quick questions, each with these fields. */
export function quickBut(changes: Record<string, unknown>): Record<string, unknown>[] {
  return QUICK.map((each) => Object.assign({}, each, changes));
}

/** Arguments of merge_readiness_set_content. */
export function content(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const texts = { why: "for users", whatChanged: "a line", tradeoffs: "none", risksConsidered: "few", teamUnderstanding: "shared" };
  return { ...texts, questions: QUICK, session_id: SESSION, ...changes };
}

export function gateFile({ omc }: Pick<Project, "omc">, session = SESSION): string {
  return sessionFile(omc, session, FILE);
}

export function gateIn(project: Pick<Project, "omc">, session = SESSION): Promise<Record<string, unknown>> {
  return readJson(gateFile(project, session));
}
