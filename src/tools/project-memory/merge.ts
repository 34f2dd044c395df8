/**
 * Merging what a caller sends into the memory that is there. Objects are merged field by field, lists
 * by what makes two of their items the same; everything else is replaced, also by null.
 *
 *     customNotes             category and content   the newer one stays
 *     userDirectives          directive              the newer one stays
 *     hotPaths                path                   fields of the new one, the larger of both counters
 *     languages, frameworks   name                   the new one
 *     any other list          equal as JSON          once
 *
 * Items keep their places; new ones follow in their own order. Nothing of the memory is dropped.
 */
import { isObject, type Memory } from "./memory.js";

interface ListRule {
  /** Fields that together name an item. */
  key: readonly string[];
  /** What becomes of two items with the same name. */
  combine(base: Memory, incoming: Memory): Memory;
}

const newer = (base: Memory, incoming: Memory): Memory => (timeOf(incoming) >= timeOf(base) ? incoming : base);
const replaced = (_base: Memory, incoming: Memory): Memory => incoming;

const RULES: ReadonlyMap<string, ListRule> = new Map([
  ["customNotes", { key: ["category", "content"], combine: newer }],
  ["userDirectives", { key: ["directive"], combine: newer }],
  ["hotPaths", { key: ["path"], combine: withLargerCounters }],
  ["languages", { key: ["name"], combine: replaced }],
  ["frameworks", { key: ["name"], combine: replaced }],
]);

/** Names that reach an object's prototype. They are never taken over from a caller. */
const PROTOTYPE_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** The memory with `incoming` merged in. Neither is changed. Both must be within the depth limit. */
export function mergeMemory(base: Memory, incoming: Memory): Memory {
  const merged = { ...base };
  for (const [field, value] of Object.entries(incoming)) {
    if (PROTOTYPE_KEYS.has(field)) continue;
    const there = Object.hasOwn(base, field) ? base[field] : undefined;
    merged[field] = mergeValue(field, there, value);
  }
  return merged;
}

/** A copy of what a caller sent, without the names that reach prototypes. */
export function safeCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(safeCopy);
  return isObject(value) ? mergeMemory({}, value) : value;
}

function mergeValue(field: string, base: unknown, incoming: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(incoming)) return mergeLists(RULES.get(field), base, incoming.map(safeCopy));
  if (isObject(base) && isObject(incoming)) return mergeMemory(base, incoming);
  return safeCopy(incoming);
}

function mergeLists(rule: ListRule | undefined, base: readonly unknown[], incoming: readonly unknown[]): unknown[] {
  const merged = [...base];
  const places = new Map<string, number>();
  for (const [place, item] of base.entries()) {
    const name = nameOf(rule, item);
    if (!places.has(name)) places.set(name, place);
  }
  for (const item of incoming) {
    const name = nameOf(rule, item);
    const place = places.get(name);
    if (place === undefined) places.set(name, merged.push(item) - 1);
    else if (rule !== undefined && isObject(item)) merged[place] = rule.combine(merged[place] as Memory, item);
  }
  return merged;
}

/** What makes an item the same as another. Items that lack the fields of their list are compared as JSON. */
function nameOf(rule: ListRule | undefined, item: unknown): string {
  if (rule === undefined || !isObject(item) || rule.key.some((field) => item[field] === undefined)) return `=${JSON.stringify(item)}`;
  return JSON.stringify(rule.key.map((field) => item[field]));
}

/** Milliseconds; -1 for an item without a time. */
function timeOf({ timestamp }: Memory): number {
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : timestamp;
  return typeof time === "number" && Number.isFinite(time) ? time : -1;
}

function withLargerCounters(base: Memory, incoming: Memory): Memory {
  const merged = { ...base, ...incoming };
  for (const counter of ["accessCount", "lastAccessed"]) {
    const both = [base[counter], incoming[counter]].filter((value) => typeof value === "number");
    if (both.length > 0) merged[counter] = Math.max(...both);
  }
  return merged;
}
