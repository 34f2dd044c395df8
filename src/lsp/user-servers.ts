/**
 * Language servers as the user wants them: the object `lsp` of `claude-omc/config.jsonc` in the user's configuration. A
 * key of the registry changes that row, `false` takes it away, another key adds a server. A repository has no say here.
 *
 *     { "lsp": { "python": { "command": "pylsp" },
 *                "nix": { "command": "nil", "extensions": [".nix"] },
 *                "html": false } }
 */
import { readFile, stat } from "node:fs/promises";
import { statedHome } from "../lib/home-folder.js";
import { userConfiguration } from "../lib/tool-paths.js";
import { log } from "../mcp/log.js";
import type { ServerDefinition } from "./registry.js";

const MAX_BYTES = 256 * 1024;
const MAX_SERVERS = 100;
const MAX_INITIALIZE_MS = 3_600_000;

/** What a row may say, and how each field is checked. */
interface Row {
  command?: string;
  args?: string[];
  extensions?: string[];
  name?: string;
  install?: string;
  languageId?: string;
  options?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  /** Milliseconds. */
  initializeMs?: number;
}

type Check = [holds: (value: unknown) => boolean, expected: string];

const TEXT: Check = [(value) => typeof value === "string" && value !== "", "a text"];
const OBJECT: Check = [isObject, "an object"];
const EXTENSION = /^\.\w[\w.+-]*$/;

// Not a zod schema: zod in a module that is loaded on demand makes esbuild start the bundle in the wrong order.
const ROW: Record<keyof Row, Check> = {
  command: TEXT,
  args: [(value) => isList(value, (item) => typeof item === "string"), "a list of texts"],
  extensions: [
    (value) => isList(value, (item) => typeof item === "string" && EXTENSION.test(item)) && value.length > 0,
    'a list of extensions such as ".nix"',
  ],
  name: TEXT,
  install: TEXT,
  languageId: TEXT,
  options: OBJECT,
  settings: OBJECT,
  initializeMs: [
    (value) => Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_INITIALIZE_MS,
    `a whole number of 1 to ${MAX_INITIALIZE_MS}`,
  ],
};

/** Applies what the user's file says to the rows. What cannot be used is told on stderr and left out. */
export async function withUserServers(rows: readonly ServerDefinition[]): Promise<readonly ServerDefinition[]> {
  const result = new Map(rows.map((row) => [row.key, row]));
  for (const [key, value] of Object.entries(await readLsp()).slice(0, MAX_SERVERS)) {
    if (value === false) {
      result.delete(key);
      continue;
    }
    const wrong = wrongIn(value);
    const row = wrong === undefined ? combined(key, result.get(key), value as Row) : undefined;
    if (row === undefined) {
      log(`language servers: lsp.${key} of the user's config.jsonc was left out; ${wrong ?? "needs a command and extensions"}`);
      continue;
    }
    for (const other of result.values()) result.set(other.key, without(other, row.extensions));
    result.set(key, row);
  }
  return [...result.values()];
}

/** What is wrong with a row; undefined when nothing is. Fields that nobody knows are left alone. */
function wrongIn(value: unknown): string | undefined {
  if (!isObject(value)) return "expected an object or false";
  for (const [field, [holds, expected]] of Object.entries(ROW)) {
    if (value[field] !== undefined && !holds(value[field])) return `${field}: expected ${expected}`;
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown, holds: (item: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(holds);
}

function combined(key: string, known: ServerDefinition | undefined, said: Row): ServerDefinition | undefined {
  const { languageId, options, settings, initializeMs } = said;
  const command = said.command ?? known?.command;
  const extensions = said.extensions?.map((one) => one.toLowerCase()) ?? known?.extensions;
  if (command === undefined || extensions === undefined) return undefined;
  const base = said.command === undefined ? known : undefined; // what suits one program may not suit another
  return {
    ...base,
    key,
    name: said.name ?? base?.name ?? command,
    command,
    args: said.args ?? base?.args ?? [],
    extensions,
    install: said.install ?? base?.install ?? "as its own documentation says",
    ...(base === undefined && { own: true }),
    ...(languageId !== undefined && { languageId }),
    ...(options !== undefined && { options }),
    ...(settings !== undefined && { settings }),
    ...(initializeMs !== undefined && { initializeMs }),
  };
}

function without(row: ServerDefinition, taken: readonly string[]): ServerDefinition {
  return { ...row, extensions: row.extensions.filter((one) => !taken.includes(one)) };
}

async function readLsp(): Promise<Record<string, unknown>> {
  const file = userConfiguration({ env: process.env, platform: process.platform, home: statedHome() });
  if (file === undefined) return {};
  try {
    if ((await stat(file)).size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    const { parse } = await import("jsonc-parser");
    const config: unknown = parse(await readFile(file, "utf8"), [], { allowTrailingComma: true });
    return isObject(config) && isObject(config["lsp"]) ? config["lsp"] : {};
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") log(`language servers: the user's config.jsonc was not read: ${code ?? message}`);
    return {};
  }
}
