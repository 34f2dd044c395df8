/** How big a payload may be. */
import { StateError } from "./state-error.js";
import { isObject } from "./state-file.js";

export const MAX_KEYS = 100;
export const MAX_DEPTH = 10;
export const MAX_BYTES = 1_048_576;

/**
 * Checks what a caller wants to store.
 * @throws {StateError} that says which limit is exceeded, by how much.
 */
export function checkPayload(payload: Record<string, unknown>): void {
  const keys = Object.keys(payload).length;
  if (keys > MAX_KEYS) throw new StateError(`payload rejected: ${keys} top-level keys, at most ${MAX_KEYS} are allowed`);
  if (isDeeper(payload, MAX_DEPTH)) {
    throw new StateError(`payload rejected: nesting depth exceeds maximum of ${MAX_DEPTH}`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  if (bytes > MAX_BYTES) {
    throw new StateError(`payload rejected: serialized size of ${bytes} bytes exceeds maximum of ${MAX_BYTES} bytes`);
  }
}

/** Whether objects and arrays are nested deeper than this. A flat object has depth 1. */
function isDeeper(value: unknown, depth: number): boolean {
  if (!Array.isArray(value) && !isObject(value)) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}
