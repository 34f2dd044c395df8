/**
 * The project memory: what is known of a project, as one JSON object in `project-memory.json` of its
 * `.omc` folder. Other programs write it too; what they and we ask of it is told in `project-memory/`.
 */
import * as z from "zod";
import { errorText } from "./error-text.js";
import { LIST_LENGTH, type Lost, withDirective, withNote } from "./project-memory/lists.js";
import type { Memory } from "./project-memory/memory.js";
import { defineTool, fail, ok } from "./types.js";
import { workingDirectory } from "./working-directory.js";


/** Sections whose field in the file has another name. */
const FIELDS: Record<string, string> = { notes: "customNotes", directives: "userDirectives" };

export const projectMemoryReadTool = defineTool({
  name: "project_memory_read",
  description: "Returns what is known of the project, or a section of it, as JSON. Use it before asking or scanning.",
  schema: z.object({
    section: z
      .enum(["all", "techStack", "build", "conventions", "structure", "notes", "directives"])
      .optional()
      .describe("Default: all. null if not recorded."),
    workingDirectory,
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async handler({ section = "all", workingDirectory }) {
    try {
      const { readMemory } = await import("./project-memory/memory-file.js");
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
    "Saves facts about the project: replaces the memory, or merges into it. For one note or directive use the add tools.",
  schema: z.object({
    memory: z
      .record(z.string(), z.unknown())
      .describe(
        "techStack, build, conventions, structure, customNotes, userDirectives, hotPaths, more; at most 16 MiB, 1000 levels.",
      ),
    merge: z
      .boolean()
      .optional()
      .describe("Merge, lists item by item. Default: false, replace all."),
    workingDirectory,
  }),
  // What replaces may remove; doing the same again changes nothing.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async handler({ memory, merge = false, workingDirectory }, { signal }) {
    try {
      const { checkDepth } = await import("./project-memory/memory.js");
      const { changeMemory, replaceMemory } = await import("./project-memory/memory-file.js");
      const { mergeMemory, safeCopy } = await import("./project-memory/merge.js");
      checkDepth(memory);
      const { path, backup, lost } = merge
        ? await changeMemory(workingDirectory, signal, (present) => mergeMemory(present, memory))
        : await replaceMemory(workingDirectory, signal, safeCopy(memory) as Memory);
      const kept = backup === undefined ? "" : `\nThe file before could not be read; it is kept as ${backup}`;
      return ok(`Successfully ${merge ? "merged" : "wrote"} project memory.\nPath: ${path}${lossText(lost)}${kept}`);
    } catch (error) {
      return fail(`Error writing project memory: ${errorText(error)}`);
    }
  },
});

export const projectMemoryAddNoteTool = defineTool({
  name: "project_memory_add_note",
  description: `Adds a note of what was learned; the newest ${LIST_LENGTH} are kept. The memory must exist.`,
  schema: z.object({
    category: z.string().max(50).describe("One word, such as build."),
    content: z.string().max(1000).describe("The note."),
    workingDirectory,
  }),
  // Destructive in that one note more than are kept pushes out the oldest.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async handler({ category, content, workingDirectory }, { signal }) {
    try {
      const { changeExistingMemory } = await import("./project-memory/memory-file.js");
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
  description: `Adds a lasting rule of the user's, once; ${LIST_LENGTH} are kept, high priority first. The memory must exist.`,
  schema: z.object({
    directive: z.string().max(500).describe("The rule."),
    context: z.string().max(500).optional().describe("Why or when it holds."),
    priority: z.enum(["high", "normal"]).optional().describe("Default: normal."),
    workingDirectory,
  }),
  // Destructive as for notes; idempotent because the same rule is not added twice.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async handler({ directive, context, priority = "normal", workingDirectory }, { signal }) {
    try {
      const { changeExistingMemory } = await import("./project-memory/memory-file.js");
      let isNew = true;
      const { path, memory } = await changeExistingMemory(workingDirectory, signal, (present) => {
        const changed = withDirective(present, { directive, context, priority }, Date.now());
        isNew = changed !== present;
        return changed;
      });
      if (memory === undefined) return ok(missing(path));
      const note = isNew ? "" : "\n\nIt was there already; nothing was changed, its priority and context neither.";
      return ok(
        `Successfully added directive to project memory.\n\n- **Directive:** ${directive}\n- **Priority:** ${priority}\n- **Context:** ${context || "(none)"}${note}`,
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

/** What the memory before had and the one in its place has not; empty when that is nothing. */
function lossText(lost: Lost | undefined): string {
  const counts = Object.entries(lost ?? {}).filter(([, number]) => number > 0);
  if (counts.length === 0) return "";
  const words = counts.map(([what, number]) => `${number} ${number === 1 ? what.slice(0, -1) : what}`);
  return `\nRemoved from the memory before: ${words.join(", ")}. merge:true keeps them`;
}

/** A value as indented JSON in a fence; what is not there is null. */
function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value ?? null, null, 2)}\n\`\`\``;
}
