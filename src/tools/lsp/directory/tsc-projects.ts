/**
 * The projects that a tsconfig.json stands for: itself, unless it only refers to others, and those it refers to, each
 * once, over any number of steps.
 */
import { realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parse } from "jsonc-parser";
import { readBounded } from "../../../lib/bounded-file.js";
import { allowedPath } from "../../../lib/tool-paths.js";

export interface TscProject {
  /** Absolute real path of its configuration file. */
  config: string;
  /** Whether it refers to others, whose built output it may need. */
  refers: boolean;
}

export interface TscProjects {
  projects: TscProject[];
  /** References that lead nowhere, to what may not be read, or that are too many. */
  left: string[];
}

const MAX_PROJECTS = 100;
const MAX_CONFIG_BYTES = 1024 * 1024;

export async function tscProjects(rootConfig: string): Promise<TscProjects> {
  const projects: TscProject[] = [];
  const left: string[] = [];
  const due = [rootConfig];
  const seen = new Set<string>();
  for (let next = due.shift(); next !== undefined; next = due.shift()) {
    const config = await permitted(next);
    if (config !== undefined && seen.has(config)) continue;
    if (config === undefined || seen.size >= MAX_PROJECTS) {
      left.push(next);
      continue;
    }
    seen.add(config);
    const { references, onlyRefers } = await readConfig(config);
    if (!onlyRefers) projects.push({ config, refers: references.length > 0 });
    due.push(...references);
  }
  return { projects, left };
}

async function permitted(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    const config = found.isDirectory() ? join(path, "tsconfig.json") : path;
    if (!(await stat(config)).isFile()) return undefined;
    return await realpath(await allowedPath(config));
  } catch {
    return undefined;
  }
}

/** What cannot be understood refers to nothing; tsc itself says then what is wrong with it. */
async function readConfig(config: string): Promise<{ references: string[]; onlyRefers: boolean }> {
  const said = await parsed(config);
  const list: unknown[] = Array.isArray(said["references"]) ? said["references"] : [];
  const references = list
    .map((reference) => (reference as { path?: unknown } | null)?.path)
    .filter((path) => typeof path === "string")
    .map((path) => resolve(dirname(config), path));
  const { files, include } = said;
  return { references, onlyRefers: references.length > 0 && Array.isArray(files) && files.length === 0 && include === undefined };
}

async function parsed(config: string): Promise<Record<string, unknown>> {
  const text = await readBounded(config, MAX_CONFIG_BYTES);
  const value: unknown = text === undefined ? undefined : parse(text, [], { allowTrailingComma: true });
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
