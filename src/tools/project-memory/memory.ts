/**
 * The project memory as a value: one JSON object. Its fields are written by many programs and versions,
 * so only what is needed is asked of them, nothing unknown is dropped, and an object that lacks fields
 * is as good as a complete one.
 */

/** A JSON object. */
export type Memory = { [field: string]: unknown };

/** The most bytes that a memory may have as a file. */
export const MAX_MEMORY_BYTES = 16 * 1024 * 1024;
/** The most objects and lists inside each other. */
export const MAX_MEMORY_DEPTH = 1_000;

/** A memory that is not kept, or not what it should be. The message says why, in words for the caller. */
export class MemoryError extends Error {
  override name = "MemoryError";
}

const LIST_FIELDS = ["customNotes", "hotPaths", "userDirectives"] as const;
const SCHEMA_VERSION = "1.0.0";

export function isObject(value: unknown): value is Memory {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads the text of a memory file; lists that are missing are empty ones. Undefined for a file without text.
 * @throws {MemoryError} when it is not JSON, not an object, or nested too deep.
 */
export function parseMemory(text: string): Memory | undefined {
  const json = text.replace(/^\uFEFF/, "");
  if (json.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new MemoryError("it is not valid JSON"); // the parser's own words could repeat what is in the file
  }
  if (!isObject(value)) throw new MemoryError("it is not a JSON object");
  if (measure(value).depth > MAX_MEMORY_DEPTH) throw new MemoryError(`it is nested deeper than ${MAX_MEMORY_DEPTH} levels`);
  for (const field of LIST_FIELDS) value[field] ??= [];
  return value;
}

/**
 * The text of a memory file.
 * @throws {MemoryError} when it is over a limit.
 */
export function serializeMemory(memory: Memory): string {
  checkDepth(memory);
  const { indentation } = measure(memory);
  const text = indentation > MAX_MEMORY_BYTES ? undefined : JSON.stringify(memory, null, 2);
  if (text === undefined || Buffer.byteLength(text) > MAX_MEMORY_BYTES) {
    throw new MemoryError(`the memory would have more than ${MAX_MEMORY_BYTES} bytes as indented JSON; nothing was written`);
  }
  return text;
}

/** @throws {MemoryError} when the memory is nested too deep to be worked on. */
export function checkDepth(memory: Memory): void {
  if (measure(memory).depth <= MAX_MEMORY_DEPTH) return;
  throw new MemoryError(`the memory is nested deeper than ${MAX_MEMORY_DEPTH} levels; nothing was written`);
}

/** The memory with the three fields that other programs take for the mark of a valid one. */
export function completed(memory: Memory, projectRoot: string, now: number): Memory {
  return {
    ...memory,
    version: memory["version"] || SCHEMA_VERSION,
    lastScanned: memory["lastScanned"] || now,
    projectRoot: memory["projectRoot"] || projectRoot,
  };
}

/** How deep a value is nested, and how many bytes its indentation alone takes. No recursion: the value may be hostile. */
function measure(value: unknown): { depth: number; indentation: number } {
  let [depth, indentation] = [0, 0];
  let level = [value];
  while (level.length > 0) {
    const containers = level.filter((each) => typeof each === "object" && each !== null) as object[];
    if (containers.length === 0) break;
    depth++;
    level = containers.flatMap((each) => Object.values(each));
    indentation += level.length * depth * 2;
  }
  return { depth, indentation };
}
