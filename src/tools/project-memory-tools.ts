/**
 * The project memory: what is known of a project, as one JSON object in `project-memory.json` of its
 * `.omc` folder. Other programs write it too; what they and we ask of it is told in `project-memory/`.
 */
import * as z from "zod";
import { errorText } from "./error-text.js";
import { LIST_LENGTH, withDirective, withNote } from "./project-memory/lists.js";
import { checkDepth, type Memory } from "./project-memory/memory.js";
import { changeExistingMemory, changeMemory, readMemory, replaceMemory } from "./project-memory/memory-file.js";
import { mergeMemory, safeCopy } from "./project-memory/merge.js";
import { defineTool, fail, ok } from "./types.js";

const workingDirectory = z
  .string()
  .optional()
  .describe("Folder in the project meant, absolute or relative to the server's; default: the project the server runs in.");

/** Sections whose field in the file has another name. */
const FIELDS: Record<string, string> = { notes: "customNotes", directives: "userDirectives" };

export const projectMemoryReadTool = defineTool({
  name: "project_memory_read",
  description:
    "Returns the project memory, or one section of it, as JSON: tech stack, build commands, conventions, structure, notes, directives. Use it before asking or scanning for such facts.",
  schema: z.object({
    section: z
      .enum(["all", "techStack", "build", "conventions", "structure", "notes", "directives"])
      .optional()
      .describe("Which part; default: all. A part that is not recorded is null."),
    workingDirectory,
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async handler({ section = "all", workingDirectory }) {
    try {
      const { path, memory } = await readMemory(workingDirectory);
      if (memory === undefined) return ok(missing(path));
      if (section === "all") return ok(`## Project Memory\n\nPath: ${path}\n\n${jsonBlock(memory)}`);
      return ok(`## Project Memory: ${section}\n\n${jsonBlock(memory[FIELDS[section] ?? section])}`);
    } catch (error) {
      return fail(`Error reading project memory: ${errorText(error)}`);
    }
  },
});

export const projectMemoryWriteTool = defineTool({
  name: "project_memory_write",
  description:
    "Saves facts about the project and returns the path of the memory. With merge they are added to what is there, without it they replace everything. For one note or directive use the add tools.",
  schema: z.object({
    memory: z
      .record(z.string(), z.unknown())
      .describe(
        "Object with any of techStack, build, conventions, structure, customNotes, userDirectives, hotPaths and further fields; at most 16 MiB as indented JSON and 1000 levels deep.",
      ),
    merge: z
      .boolean()
      .optional()
      .describe("true: merge into the present memory, lists item by item; false: replace all of it; default: false."),
    workingDirectory,
  }),
  // What replaces may remove; doing the same again changes nothing.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async handler({ memory, merge = false, workingDirectory }, { signal }) {
    try {
      checkDepth(memory);
      const { path, backup } = merge
        ? await changeMemory(workingDirectory, signal, (present) => mergeMemory(present, memory))
        : await replaceMemory(workingDirectory, signal, safeCopy(memory) as Memory);
      const kept = backup === undefined ? "" : `\nThe file before could not be read; it is kept as ${backup}`;
      return ok(`Successfully ${merge ? "merged" : "wrote"} project memory.\nPath: ${path}${kept}`);
    } catch (error) {
      return fail(`Error writing project memory: ${errorText(error)}`);
    }
  },
});

export const projectMemoryAddNoteTool = defineTool({
  name: "project_memory_add_note",
  description: `Adds a note with a category to the project memory and returns both. Use it for what was learned about the project and is not a rule; the newest ${LIST_LENGTH} notes are kept. The memory must exist.`,
  schema: z.object({
    category: z.string().max(50).describe("One word for the subject, such as build, test or deploy; at most 50 characters."),
    content: z.string().max(1000).describe("The note, at most 1000 characters (UTF-16 units)."),
    workingDirectory,
  }),
  // Destructive in that one note more than are kept pushes out the oldest.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async handler({ category, content, workingDirectory }, { signal }) {
    try {
      const { path, memory } = await changeExistingMemory(workingDirectory, signal, (present) =>
        withNote(present, category, content, Date.now()),
      );
      if (memory === undefined) return ok(missing(path));
      return ok(`Successfully added note to project memory.\n\n- **Category:** ${category}\n- **Content:** ${content}`);
    } catch (error) {
      return fail(`Error adding note: ${errorText(error)}`);
    }
  },
});

export const projectMemoryAddDirectiveTool = defineTool({
  name: "project_memory_add_directive",
  description: `Adds a rule the user gave for this project and returns it. Use it for lasting instructions; one that is there already is not added again. ${LIST_LENGTH} are kept, high priority first, then the newest. The memory must exist.`,
  schema: z.object({
    directive: z.string().max(500).describe("The rule, at most 500 characters (UTF-16 units)."),
    context: z.string().max(500).optional().describe("Why or when it holds, at most 500 characters; default: none."),
    priority: z.enum(["high", "normal"]).optional().describe("high is kept and shown before normal; default: normal."),
    workingDirectory,
  }),
  // Destructive as for notes; idempotent because the same rule is not added twice.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async handler({ directive, context, priority = "normal", workingDirectory }, { signal }) {
    try {
      const { path, memory } = await changeExistingMemory(workingDirectory, signal, (present) =>
        withDirective(present, { directive, context, priority }, Date.now()),
      );
      if (memory === undefined) return ok(missing(path));
      return ok(
        `Successfully added directive to project memory.\n\n- **Directive:** ${directive}\n- **Priority:** ${priority}\n- **Context:** ${context || "(none)"}`,
      );
    } catch (error) {
      return fail(`Error adding directive: ${errorText(error)}`);
    }
  },
});

export const projectMemoryTools = [
  projectMemoryReadTool,
  projectMemoryWriteTool,
  projectMemoryAddNoteTool,
  projectMemoryAddDirectiveTool,
];

function missing(path: string): string {
  return `Project memory does not exist yet; project_memory_write creates it.\nExpected path: ${path}`;
}

/** A value as indented JSON in a fence; what is not there is null. */
function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value ?? null, null, 2)}\n\`\`\``;
}
