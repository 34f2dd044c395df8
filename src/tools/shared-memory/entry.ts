/**
 * An entry as stored, one JSON file each, two-space indented, in this order of fields. Other programs write them too,
 * so what is read may be anything.
 */
export interface Entry {
  key: string;
  value: unknown;
  namespace: string;
  /** ISO times. `createdAt` survives updates; `updatedAt` grows with each of them. */
  createdAt: string;
  updatedAt: string;
  /** Seconds, and the moment from which the entry no longer counts. Both or neither. */
  ttl?: number;
  expiresAt?: string;
}

/** An entry in a file may take no more; in bytes. */
export const MAX_ENTRY_BYTES = 1024 * 1024;

export class EntryTooLargeError extends Error {
  override name = "EntryTooLargeError";
}

/** The text of an entry. @throws {EntryTooLargeError} */
export function formatEntry(entry: Entry): string {
  let text: string;
  try {
    text = JSON.stringify(entry, null, 2);
  } catch {
    throw new EntryTooLargeError("the value is nested too deeply to be stored");
  }
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_ENTRY_BYTES) return text;
  throw new EntryTooLargeError(`the entry takes ${bytes} bytes, the limit is ${MAX_ENTRY_BYTES}; keep large data in a file and share its path`);
}

/**
 * Reads an entry that must be this key's. Anything else is no entry: broken JSON, other people's files, and on a disk
 * that takes `a` and `A` for one name, the entry of the other key.
 */
export function parseEntry(text: string, key: string): Entry | undefined {
  const found = parseObject(text);
  if (found === undefined || found["key"] !== key) return undefined;
  const updatedAt = timeIn(found["updatedAt"]);
  if (updatedAt === undefined) return undefined;
  const expiresAt = timeIn(found["expiresAt"]);
  return {
    key,
    value: found["value"] ?? null,
    namespace: String(found["namespace"]),
    createdAt: timeIn(found["createdAt"]) ?? updatedAt,
    updatedAt,
    ...(typeof found["ttl"] === "number" && { ttl: found["ttl"] }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** The key that a file speaks of, if it speaks of one. */
export function keyInside(text: string): string | undefined {
  const key = parseObject(text)?.["key"];
  return typeof key === "string" ? key : undefined;
}

export function isExpired(entry: Entry, now: number = Date.now()): boolean {
  return entry.expiresAt !== undefined && Date.parse(entry.expiresAt) <= now;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A time that is one. It will be shown, and a stranger may have written it. */
function timeIn(value: unknown): string | undefined {
  return typeof value === "string" && /^[0-9TZ:.+-]{1,40}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
}
