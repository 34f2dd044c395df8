/**
 * Language servers as the user wants them: the object `lsp` of `claude-omc/config.jsonc` in the user's configuration. A
 * key of the registry changes that row, `false` takes it away, another key adds a server. A repository has no say here.
 *
 *     { "lsp": { "python": { "command": "pylsp" },
 *                "nix": { "command": "nil", "extensions": [".nix"] },
 *                "html": false } }
 */
import { readFile, stat } from "node:fs/promises";
import * as z from "zod";
import { statedHome } from "../lib/home-folder.js";
import { userConfiguration } from "../lib/tool-paths.js";
import { log } from "../mcp/log.js";
import type { ServerDefinition } from "./registry.js";

const MAX_BYTES = 256 * 1024;
const MAX_SERVERS = 100;

const Values = z.record(z.string(), z.unknown());

const Row = z.object({
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  extensions: z.array(z.string().regex(/^\.\w[\w.+-]*$/)).min(1).optional(),
  name: z.string().min(1).optional(),
  install: z.string().min(1).optional(),
  languageId: z.string().min(1).optional(),
  options: Values.optional(),
  settings: Values.optional(),
  /** Milliseconds. */
  initializeMs: z.int().positive().max(3_600_000).optional(),
});

/** Applies what the user's file says to the rows. What cannot be used is told on stderr and left out. */
export async function withUserServers(rows: readonly ServerDefinition[]): Promise<readonly ServerDefinition[]> {
  const result = new Map(rows.map((row) => [row.key, row]));
  for (const [key, value] of Object.entries(await readLsp()).slice(0, MAX_SERVERS)) {
    if (value === false) {
      result.delete(key);
      continue;
    }
    const parsed = Row.safeParse(value);
    const row = parsed.success ? combined(key, result.get(key), parsed.data) : undefined;
    if (row === undefined) {
      const [issue] = parsed.error?.issues ?? [];
      const wrong = issue === undefined ? "needs a command and extensions" : [...issue.path, issue.message].join(": ");
      log(`language servers: lsp.${key} of the user's config.jsonc was left out; ${wrong}`);
      continue;
    }
    for (const other of result.values()) result.set(other.key, without(other, row.extensions));
    result.set(key, row);
  }
  return [...result.values()];
}

function combined(key: string, known: ServerDefinition | undefined, said: z.output<typeof Row>): ServerDefinition | undefined {
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
    const config = Values.safeParse(parse(await readFile(file, "utf8"), [], { allowTrailingComma: true }));
    return Values.safeParse(config.data?.["lsp"]).data ?? {};
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") log(`language servers: the user's config.jsonc was not read: ${code ?? message}`);
    return {};
  }
}
