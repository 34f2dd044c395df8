/** The answers of the skills tools, as Markdown. */
import { clean } from "./clean.js";
import { findAllSkills, findProjectSkills, findUserSkills, type Found } from "./find.js";
import { projectPlaces } from "./places.js";
import { distinct, type Hidden, type Skill } from "./skill.js";

/** Skills beyond this many characters are counted, not shown. */
const MAX_SHOWN_CHARS = 200_000;
const MAX_HIDDEN_SHOWN = 20;
/** Of a folder's name, in characters. */
const MAX_FOLDER = 500;

/** The skills of the project. @throws {ProjectRootError} for a root that must not be used. */
export async function projectSkills(projectRoot: string | undefined): Promise<string> {
  return oneScope("Project Skills", await findProjectSkills(await projectPlaces(projectRoot)));
}

/** The skills of the user. */
export async function userSkills(): Promise<string> {
  return oneScope("Global User Skills", await findUserSkills());
}

/** The skills of both; a skill of the project comes before one of the user with its id. */
export async function allSkills(projectRoot: string | undefined): Promise<string> {
  const { project, user } = await findAllSkills(await projectPlaces(projectRoot));
  const { shown, hidden } = distinct([...project.skills, ...user.skills]);
  if (shown.length === 0) return nothing(project, user);
  const { kept, left } = thatFit(shown);
  const parts = [`## All Available Skills (${shown.length} total)`];
  for (const [scope, heading] of [["project", "Project Skills"], ["user", "User Skills"]] as const) {
    const count = shown.filter((skill) => skill.scope === scope).length;
    if (count > 0) parts.push(`### ${heading} (${count})`, ...kept.filter((skill) => skill.scope === scope).map(item));
  }
  return [...parts, ...notes(hidden, left, project.incomplete || user.incomplete)].join("\n\n");
}

function oneScope(heading: string, { skills, searched, incomplete }: Found): string {
  const { shown, hidden } = distinct(skills);
  const title = `## ${heading} (${shown.length})`;
  if (shown.length === 0) return `${title}\n\nNo skills found in the searched directories: ${named(searched)}.`;
  const { kept, left } = thatFit(shown);
  return [title, ...kept.map(item), ...notes(hidden, left, incomplete)].join("\n\n");
}

function item({ id, name, description, triggers, tags, scope, path }: Skill): string {
  const lines = [`### ${id}`, `- **Name:** ${name}`, `- **Description:** ${description}`, `- **Triggers:** ${triggers.join(", ")}`];
  if (tags.length > 0) lines.push(`- **Tags:** ${tags.join(", ")}`);
  return [...lines, `- **Scope:** ${scope}`, `- **Path:** ${path}`].join("\n");
}

/** What a reader of the list has to know beside it. */
function notes(hidden: readonly Hidden[], left: number, incomplete: boolean): string[] {
  const lines = hidden
    .slice(0, MAX_HIDDEN_SHOWN)
    .map(({ skill, by }) => `- ${skill.path} (${skill.scope}) is hidden by ${by.path} (${by.scope}), which has the same id: ${by.id}`);
  if (hidden.length > MAX_HIDDEN_SHOWN) lines.push(`- ${hidden.length - MAX_HIDDEN_SHOWN} more are hidden in the same way`);
  if (left > 0) lines.push(`- ${left} more skills are not shown, for the length of this answer`);
  if (incomplete) lines.push("- Not all files were looked at: there are too many, or they lie too deep");
  return lines.length === 0 ? [] : [["Notes:", ...lines].join("\n")];
}

function thatFit(skills: Skill[]): { kept: Skill[]; left: number } {
  let room = MAX_SHOWN_CHARS;
  const end = skills.findIndex((skill) => (room -= item(skill).length) < 0);
  return end === -1 ? { kept: skills, left: 0 } : { kept: skills.slice(0, end), left: skills.length - end };
}

function nothing(project: Found, user: Found): string {
  return [
    "## No Skills Found",
    "",
    "None of the searched directories has a file with name, description and triggers in its frontmatter.",
    "",
    "Searched:",
    `- Project: ${named(project.searched)}`,
    ...user.searched.map((folder) => `- ${folder.endsWith("/omc-learned") ? "Claude config" : "Global"}: ${named([folder])}`),
  ].join("\n");
}

function named(folders: readonly string[]): string {
  return folders.map((folder) => clean(`${folder}/`, MAX_FOLDER)).join(", ");
}
