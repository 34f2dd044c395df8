/**
 * Shared memory: small values that agents of one project leave for each other, by namespace and key, optionally with an
 * end. Kept in files, so they outlive the server and are seen by all servers of the project.
 */
import * as z from "zod";
import { errorText } from "./error-text.js";
import type { Entry } from "./shared-memory/entry.js";
import { hasSingleDots, MAX_NAME, NAME_PATTERN, NAME_WORDS, unportable } from "./shared-memory/names.js";
import type * as Store from "./shared-memory/store.js";
import { defineTool, fail, ok, type ToolResult } from "./types.js";
import { workingDirectory } from "./working-directory.js";

const MAX_TTL_SECONDS = 604_800;

function nameSchema(what: string) {
  return z
    .string()
    .max(MAX_NAME, { abort: true })
    .regex(NAME_PATTERN, { error: NAME_WORDS, abort: true })
    .refine(hasSingleDots, NAME_WORDS)
    .describe(what);
}

const key = nameSchema("Entry name.");
const namespace = nameSchema("Group of entries.");
const onlyNamespace = nameSchema("Default: all.").optional();

const writeTool = defineTool({
  name: "shared_memory_write",
  description: "Stores a value of up to 1 MiB for other agents of the project, in place of an earlier one.",
  schema: z.object({
    key,
    value: z.unknown().optional().describe("Any JSON. Default: null."),
    namespace,
    ttl: z.int().min(1).max(MAX_TTL_SECONDS).optional().describe("Seconds to live. Default: for ever."),
    ifUpdatedAt: z.string().max(40).optional().describe('Write only if Updated is still this; "": if there is none.'),
    workingDirectory,
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  handler: (args, context) =>
    guarded("writing", async (memory) => {
      refuseUnportable("key", args.key);
      refuseUnportable("namespace", args.namespace);
      const store = await memory.openStore(args.workingDirectory, context.signal);
      const { value, ttl, ifUpdatedAt } = args;
      const entry = await memory.writeEntry(store, args.namespace, args.key, { value, ttl, ifUpdatedAt });
      const bullets = [`Namespace:** ${entry.namespace}`, `Key:** ${entry.key}`, `Updated:** ${entry.updatedAt}`];
      if (entry.expiresAt !== undefined) bullets.push(`TTL:** ${entry.ttl}s`, `Expires:** ${entry.expiresAt}`);
      return ok(`Successfully wrote to shared memory.\n\n${list(bullets)}`);
    }),
});

const readTool = defineTool({
  name: "shared_memory_read",
  description: "Returns the value of an entry and its times.",
  schema: z.object({ key, namespace, workingDirectory }),
  // An entry whose time is over is no longer there for anybody; taking its file away changes nothing that can be seen.
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handler: (args, context) =>
    guarded("reading", async (memory) => {
      const store = await memory.openStore(args.workingDirectory, context.signal);
      const entry = await memory.readEntry(store, args.namespace, args.key);
      return ok(entry === undefined ? notFound(args) : shownEntry(entry));
    }),
});

const listTool = defineTool({
  name: "shared_memory_list",
  description: "Returns the keys of a namespace and their times, or all namespaces.",
  schema: z.object({ namespace: onlyNamespace, workingDirectory }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handler: (args, context) =>
    guarded("listing", async (memory) => {
      const store = await memory.openStore(args.workingDirectory, context.signal);
      if (args.namespace === undefined) return ok(shownNamespaces(await memory.listNamespaces(store)));
      return ok(shownKeys(args.namespace, await memory.listEntries(store, args.namespace)));
    }),
});

const deleteTool = defineTool({
  name: "shared_memory_delete",
  description: "Deletes an entry and returns whether there was one.",
  schema: z.object({ key, namespace, workingDirectory }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  handler: (args, context) =>
    guarded("deleting", async (memory) => {
      const store = await memory.openStore(args.workingDirectory, context.signal);
      const deleted = await memory.deleteEntry(store, args.namespace, args.key);
      return ok(deleted ? `Deleted key "${args.key}" from namespace "${args.namespace}".` : notFound(args));
    }),
});

const cleanupTool = defineTool({
  name: "shared_memory_cleanup",
  description: "Removes expired entries and returns how many.",
  schema: z.object({ namespace: onlyNamespace, workingDirectory }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  handler: (args, context) =>
    guarded("cleaning", async (memory) => {
      const store = await memory.openStore(args.workingDirectory, context.signal);
      return ok(shownCleanup(await memory.removeAllExpired(store, args.namespace)));
    }),
});

export const sharedMemoryTools = [writeTool, readTool, listTool, deleteTool, cleanupTool];

/** Looks at the switch first, and says of a failure what it was that failed. */
async function guarded(doing: string, work: (memory: typeof Store) => Promise<ToolResult>): Promise<ToolResult> {
  const { isSharedMemoryEnabled } = await import("./shared-memory/gate.js");
  if (!(await isSharedMemoryEnabled())) {
    return fail("Shared memory is disabled: agents.sharedMemory.enabled is false in .omc-config.json.");
  }
  try {
    return await work(await import("./shared-memory/store.js"));
  } catch (error) {
    return fail(`Error ${doing} shared memory: ${errorText(error)}`);
  }
}

function refuseUnportable(field: string, name: string): void {
  const reason = unportable(name);
  if (reason !== undefined) throw new Error(`Invalid ${field}: "${name}" cannot be used, ${reason}`);
}

function notFound({ key, namespace }: { key: string; namespace: string }): string {
  return `Key "${key}" not found in namespace "${namespace}" (or has expired).`;
}

function shownEntry(entry: Entry): string {
  const bullets = [
    `Namespace:** ${entry.namespace}`,
    `Key:** ${entry.key}`,
    `Created:** ${entry.createdAt}`,
    `Updated:** ${entry.updatedAt}`,
  ];
  if (entry.expiresAt !== undefined) bullets.push(`Expires:** ${entry.expiresAt}`);
  const json = JSON.stringify(entry.value, null, 2);
  return `## Shared Memory Entry\n\n${list(bullets)}\n\n### Value\n\n\`\`\`json\n${json}\n\`\`\``;
}

function shownNamespaces(names: string[]): string {
  if (names.length === 0) return "No shared memory namespaces found.";
  return `## Shared Memory Namespaces\n\n${names.map((name) => `- ${name}`).join("\n")}`;
}

function shownKeys(namespace: string, entries: Entry[]): string {
  if (entries.length === 0) return `No entries in namespace "${namespace}".`;
  const lines = entries.map((entry) => {
    const end = entry.expiresAt === undefined ? "" : ` [expires: ${entry.expiresAt}]`;
    return `- **${entry.key}** (updated: ${entry.updatedAt})${end}`;
  });
  return `## Shared Memory: ${namespace}\n\n${entries.length} entries:\n\n${lines.join("\n")}`;
}

function shownCleanup({ removed, locked }: Store.Cleanup): string {
  const count = [...removed.values()].reduce((sum, each) => sum + each, 0);
  const bullets: string[] = [];
  if (count > 0) {
    bullets.push(`Removed:** ${count} expired entries`, `Namespaces cleaned:** ${[...removed.keys()].sort().join(", ")}`);
  }
  if (locked > 0) bullets.push(`In use:** ${locked} expired entries were left, others have them locked`);
  return bullets.length === 0 ? "No expired entries found." : `## Cleanup Results\n\n${list(bullets)}`;
}

/** Bullets whose first words are bold: `- **Key:** k1`. */
function list(bullets: string[]): string {
  return bullets.map((bullet) => `- **${bullet}`).join("\n");
}
