/** The two lists that tools add to: notes, of which the newest are kept, and directives, of which the important ones are. */
import { isObject, type Memory, MemoryError } from "./memory.js";

/** So many notes, and so many directives, are kept. */
export const LIST_LENGTH = 20;

export interface Directive {
  directive: string;
  context: string | undefined;
  priority: "high" | "normal";
}

/** The memory with a note at the end of `customNotes`, and without those that are then too many. */
export function withNote(memory: Memory, category: string, content: string, now: number): Memory {
  const notes = listIn(memory, "customNotes");
  const note = { timestamp: now, source: "manual", category, content };
  return { ...memory, customNotes: [...notes, note].slice(-LIST_LENGTH) };
}

/**
 * The memory with a directive in `userDirectives`; the same memory when it is there already, letter case aside.
 * When there are too many, those of high priority stay first, then the newest.
 * @throws {MemoryError} when the new directive itself would have no place.
 */
export function withDirective(memory: Memory, { directive, context, priority }: Directive, now: number): Memory {
  const directives = listIn(memory, "userDirectives");
  const same = directive.toLowerCase();
  if (directives.some((each) => isObject(each) && String(each["directive"]).toLowerCase() === same)) return memory;
  const added = { timestamp: now, directive, context: context ?? "", source: "explicit", priority };
  const kept = directives.length < LIST_LENGTH ? [...directives, added] : mostImportant([added, ...directives]);
  if (!kept.includes(added)) {
    throw new MemoryError(
      `all ${LIST_LENGTH} places are taken by directives of high priority; nothing was written. ` +
        "Give it high priority too, or remove one with project_memory_write",
    );
  }
  return { ...memory, userDirectives: kept };
}

/** Sorted by importance; of two with the same time the first given comes first. */
function mostImportant(directives: unknown[]): unknown[] {
  const ranked = directives.map((each) => ({ each, ...rank(each) }));
  ranked.sort((a, b) => b.high - a.high || b.time - a.time);
  return ranked.slice(0, LIST_LENGTH).map(({ each }) => each);
}

function rank(directive: unknown): { high: number; time: number } {
  if (!isObject(directive)) return { high: 0, time: 0 };
  const { priority, timestamp } = directive;
  return { high: priority === "high" ? 1 : 0, time: typeof timestamp === "number" ? timestamp : 0 };
}

/** How many entries of the lists one memory has and another one has not. */
export interface Lost {
  notes: number;
  directives: number;
}

export function lostBetween(before: Memory | undefined, after: Memory): Lost {
  return { notes: missingIn(before, after, "customNotes"), directives: missingIn(before, after, "userDirectives") };
}

function missingIn(before: Memory | undefined, after: Memory, field: string): number {
  const entries = (memory: Memory | undefined) => (Array.isArray(memory?.[field]) ? memory[field] : []).map((each) => JSON.stringify(each));
  const kept = new Set(entries(after));
  return entries(before).filter((each) => !kept.has(each)).length;
}

function listIn(memory: Memory, field: string): unknown[] {
  const list = memory[field] ?? [];
  if (Array.isArray(list)) return list;
  throw new MemoryError(`${field} in project-memory.json is not a list; nothing was written. Correct it with project_memory_write`);
}
