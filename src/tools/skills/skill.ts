/** What is told of a skill, made of the head of its file. */
import { createHash } from "node:crypto";
import { clean } from "./clean.js";
import { parseFrontmatter, type Value } from "./frontmatter.js";

export type Scope = "project" | "user";

export interface Skill {
  /** As the file says, or made of the name. Unique after {@link distinct}. */
  id: string;
  /** The id was made of the name, and letters of the name are not in it. */
  lossyId: boolean;
  name: string;
  description: string;
  triggers: string[];
  tags: string[];
  scope: Scope;
  /** Where its file is, below the project's root or `~`, with `/`. */
  path: string;
}

const MAX_NAME = 200;
const MAX_DESCRIPTION = 1_000;
const MAX_WORD = 100;
const MAX_WORDS = 50;

/** The skill of a file, or why it is none. */
export function skillOf(text: string, scope: Scope, path: string): Skill | { why: string } {
  const head = parseFrontmatter(text);
  if (head === undefined) return { why: "no frontmatter" };
  const name = clean(scalar(head.get("name")), MAX_NAME);
  const description = clean(scalar(head.get("description")), MAX_DESCRIPTION);
  const triggers = words(head.get("triggers"));
  if (name === "") return { why: "no name" };
  if (description === "") return { why: "no description" };
  if (triggers.length === 0) return { why: "no triggers" };
  const given = clean(scalar(head.get("id")), MAX_NAME);
  const { id, lossyId } = given === "" ? madeId(name) : { id: given, lossyId: false };
  return { id, lossyId, name, description, triggers, tags: words(head.get("tags")), scope, path: clean(path, MAX_DESCRIPTION) };
}

/** A skill that is not listed because another one has its id. */
export interface Hidden {
  skill: Skill;
  by: Skill;
}

/**
 * Of skills with one id the first stays. Skills of different names whose ids were made of these names, and are the same
 * only because letters are missing in them, are all kept: the later ones get an id of their own.
 */
export function distinct(skills: readonly Skill[]): { shown: Skill[]; hidden: Hidden[] } {
  const shown = new Map<string, Skill>();
  const hidden: Hidden[] = [];
  for (const skill of skills) {
    const first = shown.get(skill.id);
    const own = first !== undefined && skill.lossyId && first.name !== skill.name ? `${skill.id}-${digest(skill.name)}` : skill.id;
    const by = shown.get(own);
    if (by === undefined) shown.set(own, { ...skill, id: own });
    else hidden.push({ skill, by });
  }
  return { shown: [...shown.values()], hidden };
}

/** The name in lower case, with `-` for spaces, without anything but a-z, 0-9 and `-`. */
function madeId(name: string): { id: string; lossyId: boolean } {
  const spaced = name.toLowerCase().replace(/\s+/g, "-");
  const id = spaced.replace(/[^a-z0-9-]/g, "");
  if (!/[a-z0-9]/.test(id)) return { id: `skill-${digest(name)}`, lossyId: false };
  return { id, lossyId: /[^\0-\x7F]/.test(spaced) };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

function scalar(value: Value | undefined): string {
  return typeof value === "string" ? value : (value ?? []).join(" ");
}

function words(value: Value | undefined): string[] {
  const list = typeof value === "string" ? [value] : (value ?? []);
  return list.slice(0, MAX_WORDS).map((word) => clean(word, MAX_WORD)).filter((word) => word !== "");
}
