/**
 * The notepad: notes that outlive a session, in `notepad.md` of the project's `.omc` folder. Priority
 * Context is one short text that every session starts with; Working Memory and MANUAL are stamped
 * entries. How the file looks is told in `notepad/document.ts`, how text lies in it in `notepad/content.ts`.
 */
import * as z from "zod";
import { WorkspaceError } from "../lib/workspace-error.js";
import { errorText } from "./error-text.js";
import {
  appendEntry,
  type Notepad,
  parseNotepad,
  pruneSection,
  readableText,
  readSection,
  replaceSection,
  type SectionName,
  stampsOf,
} from "./notepad/document.js";
import { stampOf } from "./notepad/entries.js";
import { defineTool, fail, ok, type ToolContext, type ToolResult } from "./types.js";
import { workingDirectory } from "./working-directory.js";

/** From this length on, Priority Context costs every session more than it should. */
const PRIORITY_GOOD_LENGTH = 500;
const PRIORITY_MAX_LENGTH = 2000;
const ENTRY_MAX_LENGTH = 4000;
const DEFAULT_DAYS = 7;
const DAY_MS = 86_400_000;


const SECTIONS: Record<"priority" | "working" | "manual", SectionName> = {
  priority: "Priority Context",
  working: "Working Memory",
  manual: "MANUAL",
};

export const notepadReadTool = defineTool({
  name: "notepad_read",
  description: "Returns the project's notepad, or a section of it, as it was written.",
  schema: z.object({
    section: z.enum(["all", "priority", "working", "manual"]).optional().describe("Default: all."),
    workingDirectory,
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async handler({ section = "all", workingDirectory }) {
    try {
      const { readNotepad } = await import("./notepad/notepad-file.js");
      const { path, text } = await readNotepad(workingDirectory);
      if (section === "all") return ok(text === undefined ? missing(path) : wholeNotepad(path, text));
      const name = SECTIONS[section];
      const body = text === undefined ? "" : readSection(parseNotepad(text), name);
      return ok(`## ${name}\n\n${body === "" ? "(Empty or notepad does not exist)" : body}`);
    } catch (error) {
      return fail(`Error reading notepad: ${errorText(error)}`);
    }
  },
});

export const notepadWritePriorityTool = defineTool({
  name: "notepad_write_priority",
  description: "Replaces Priority Context, with which every session starts; best under 500 characters.",
  schema: z.object({
    content: z.string().max(PRIORITY_MAX_LENGTH).describe("Markdown. Empty clears it."),
    workingDirectory,
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async handler({ content, workingDirectory }, { signal }) {
    try {
      const { editNotepad } = await import("./notepad/notepad-file.js");
      await editNotepad(workingDirectory, signal, (notepad) => replaceSection(notepad, "Priority Context", content));
    } catch (error) {
      return writeFailure("Priority Context", error);
    }
    const written = `Successfully wrote to Priority Context (${content.length} chars)`;
    if (content.length <= PRIORITY_GOOD_LENGTH) return ok(written);
    return ok(
      `${written}\n\n**Warning:** it is longer than ${PRIORITY_GOOD_LENGTH} characters and is put into every session; ` +
        "move what is not needed each time to Working Memory.",
    );
  },
});

export const notepadWriteWorkingTool = defineTool({
  name: "notepad_write_working",
  description:
    "Adds a note, stamped in UTC, to Working Memory: findings and decisions of the day. notepad_prune removes old ones.",
  schema: z.object({ content: entryContent(), workingDirectory }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handler: (args, context) => addEntry("Working Memory", "Successfully added entry to Working Memory", args, context),
});

export const notepadWriteManualTool = defineTool({
  name: "notepad_write_manual",
  description: "Adds a note, stamped in UTC, to the MANUAL section, which is never pruned.",
  schema: z.object({ content: entryContent(), workingDirectory }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  handler: (args, context) => addEntry("MANUAL", "Successfully added entry to MANUAL section", args, context),
});

export const notepadPruneTool = defineTool({
  name: "notepad_prune",
  description: "Removes old notes from Working Memory and returns how many.",
  schema: z.object({
    daysOld: z.int().min(1).max(365).optional().describe("Age in days from which they go. Default: 7."),
    workingDirectory,
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async handler({ daysOld = DEFAULT_DAYS, workingDirectory }, { signal }) {
    try {
      const { editExistingNotepad } = await import("./notepad/notepad-file.js");
      const cutoff = new Date(Date.now() - daysOld * DAY_MS);
      const prune = (notepad: Notepad) => pruneSection(notepad, "Working Memory", cutoff);
      const { pruned, remaining } = (await editExistingNotepad(workingDirectory, signal, prune)) ?? { pruned: 0, remaining: 0 };
      return ok(
        `## Prune Results\n\n- Pruned: ${pruned} entries\n- Remaining: ${remaining} entries\n- Threshold: ${daysOld} days`,
      );
    } catch (error) {
      return fail(`Error pruning notepad: ${errorText(error)}`);
    }
  },
});

export const notepadStatsTool = defineTool({
  name: "notepad_stats",
  description: "Returns the notepad's path, sizes in bytes, number of working notes and oldest stamp (UTC).",
  schema: z.object({ workingDirectory }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async handler({ workingDirectory }) {
    try {
      const { readNotepad } = await import("./notepad/notepad-file.js");
      const { path, text } = await readNotepad(workingDirectory);
      if (text === undefined) return ok("## Notepad Statistics\n\nThe notepad does not exist yet; the first write creates it.");
      return ok(statistics(path, text));
    } catch (error) {
      return fail(`Error getting notepad stats: ${errorText(error)}`);
    }
  },
});

export const notepadTools = [
  notepadReadTool,
  notepadWritePriorityTool,
  notepadWriteWorkingTool,
  notepadWriteManualTool,
  notepadPruneTool,
  notepadStatsTool,
];

function entryContent() {
  return z.string().max(ENTRY_MAX_LENGTH).describe("Markdown.");
}

async function addEntry(
  section: SectionName,
  done: string,
  { content, workingDirectory }: { content: string; workingDirectory?: string | undefined },
  { signal }: ToolContext,
): Promise<ToolResult> {
  try {
    const { editNotepad } = await import("./notepad/notepad-file.js");
    // The stamp is taken under the lock, so that stamps never go backwards in the file.
    await editNotepad(workingDirectory, signal, (notepad) => appendEntry(notepad, section, stampOf(new Date()), content));
    return ok(`${done} (${content.length} chars)`);
  } catch (error) {
    return writeFailure(section, error);
  }
}

/** A folder that must not be used is the caller's error; everything else is a write that did not come about. */
function writeFailure(section: SectionName, error: unknown): ToolResult {
  const prefix = error instanceof WorkspaceError ? "Error writing to" : "Failed to write to";
  return fail(`${prefix} ${section}: ${errorText(error)}`);
}

function missing(path: string): string {
  return `Notepad does not exist; the first write creates it at ${path}`;
}

function wholeNotepad(path: string, text: string): string {
  return `## Notepad\n\nPath: ${path}\n\n${readableText(parseNotepad(text))}`;
}

function statistics(path: string, text: string): string {
  const notepad = parseNotepad(text);
  const stamps = stampsOf(notepad, "Working Memory");
  const oldest = stamps.reduce<string | undefined>((least, stamp) => (least === undefined || stamp < least ? stamp : least), undefined);
  return [
    "## Notepad Statistics\n",
    `- **Total Size:** ${Buffer.byteLength(text)} bytes`,
    `- **Priority Context Size:** ${Buffer.byteLength(readSection(notepad, "Priority Context"))} bytes`,
    `- **Working Memory Entries:** ${stamps.length}`,
    `- **Oldest Entry:** ${oldest ?? "None"}`,
    `- **Path:** ${path}`,
  ].join("\n");
}
