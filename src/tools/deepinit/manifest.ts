/**
 * The record of a project's folders:
 *
 *     {"version": 1, "generatedAt": "<ISO>", "directories": {"src/lib": {"files": ["a.ts", "b.ts"]}}}
 *
 * It is `deepinit-manifest.json` in the `.omc` folder. Several roots may share that folder: repositories of a workspace,
 * submodules, directories below one that is no repository. Those that are not the folder's own place have a file each,
 * `deepinit-manifest-NAME-HASH.json`, since a record of another root would say that everything has been deleted.
 */
import { createHash } from "node:crypto";
import { basename, dirname, relative, sep } from "node:path";
import { readTextFile } from "../../lib/atomic-file.js";
import { contained, isInside } from "../../lib/omc-paths.js";
import type { Workspace } from "../../lib/workspace.js";
import type { Directories } from "./scan.js";

const MAX_BYTES = 16 * 1024 * 1024;

export interface Manifest {
  /** As it is in the file; undefined when that has none. */
  generatedAt: string | undefined;
  directories: Directories;
}

/** What lies at a manifest's place. `manifest` is undefined when there is no file, or one that is no manifest. */
export interface Stored {
  exists: boolean;
  manifest: Manifest | undefined;
}

/** Absolute path of the manifest of this workspace's root. */
export async function manifestPath(workspace: Workspace): Promise<string> {
  return contained(workspace.omc, fileName(placeOf(workspace)));
}

/** @throws {Error} for a file that cannot be read: a link, over 16 MiB, no permission. */
export async function readManifest(path: string): Promise<Stored> {
  const text = await readTextFile(path, { maxBytes: MAX_BYTES });
  return text === undefined ? { exists: false, manifest: undefined } : { exists: true, manifest: parseManifest(text) };
}

/** Undefined for anything that is not wholly a manifest of version 1. */
export function parseManifest(text: string): Manifest | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(parsed) || parsed["version"] !== 1 || !isRecord(parsed["directories"])) return undefined;
  const directories: Directories = new Map();
  for (const [path, entry] of Object.entries(parsed["directories"])) {
    const files = isRecord(entry) ? entry["files"] : undefined;
    if (!Array.isArray(files) || !files.every((name): name is string => typeof name === "string")) return undefined;
    directories.set(path, files);
  }
  const { generatedAt } = parsed;
  return { generatedAt: typeof generatedAt === "string" ? generatedAt : undefined, directories };
}

/** The text of the file. Folders are sorted by code unit. */
export function renderManifest(generatedAt: string, directories: Directories): string {
  const sorted = [...directories].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, files]) => [path, { files }] as const);
  return JSON.stringify({ version: 1, generatedAt, directories: Object.fromEntries(sorted) }, null, 2);
}

/** The text of the file, to be saved. @throws {Error} when it is so long that nobody would read it again. */
export function savedText(generatedAt: string, directories: Directories): string {
  const text = renderManifest(generatedAt, directories);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_BYTES) return text;
  throw new Error(`the manifest would have ${bytes} bytes, over its limit of ${MAX_BYTES}; nothing was saved`);
}

/** Where the root is, seen from the place that the `.omc` folder belongs to; `""` when it is that place. */
function placeOf({ root, omc, trustedRoot }: Workspace): string {
  const owner = [dirname(omc), trustedRoot].find((folder) => isInside(root, folder));
  return owner === undefined ? "" : relative(owner, root).split(sep).join("/");
}

function fileName(place: string): string {
  if (place === "") return "deepinit-manifest.json";
  const name = basename(place).replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
  return `deepinit-manifest-${name}-${createHash("sha256").update(place).digest("hex").slice(0, 16)}.json`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
