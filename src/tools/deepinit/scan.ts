/**
 * The folders of a project and the names of the files directly in them.
 *
 * Hidden folders and those that tools fill are left out, links are not followed. Files are all listed, hidden and ignored
 * ones too. What is not looked at (too deep, too many, not readable) is remembered as `unseen`, so that nobody takes it
 * for deleted.
 */
import { lstat, opendir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { inBatches } from "../../lib/batches.js";
import { isInside } from "../../lib/omc-paths.js";

/** Folder → sorted names of its files. The path is relative with `/`; the root is `.`. Folders without files are not there. */
export type Directories = Map<string, string[]>;

export interface Tree {
  directories: Directories;
  /** Path of a folder that was not looked at → why. Everything below it is unseen too. */
  unseen: Map<string, Unseen>;
}

export type Unseen = "too deep" | "too many" | "not readable";

export interface Limits {
  /** Levels below the root. */
  depth: number;
  directories: number;
  /** Names of files in all folders together. */
  files: number;
}

export const LIMITS: Limits = { depth: 50, directories: 10_000, files: 200_000 };

const GENERATED = new Set(["node_modules", "dist", "build", "__pycache__", "coverage"]);

interface Scan {
  root: string;
  signal: AbortSignal;
  filesLeft: number;
  /** Device and inode of every folder that was looked at, since a mount may show one inside itself. */
  visited: Set<string>;
}

type Listing = { files: string[]; folders: string[] } | { why: Unseen };

/**
 * Looks at the tree level by level, so that a limit cuts off what is deepest.
 * @param root real path
 * @throws {Error} when the root itself cannot be read; the signal's reason when aborted.
 */
export async function scanTree(root: string, signal: AbortSignal, limits: Limits = LIMITS): Promise<Tree> {
  const tree: Tree = { directories: new Map(), unseen: new Map() };
  const scan: Scan = { root, signal, filesLeft: limits.files, visited: new Set() };
  let room = limits.directories;
  let level = ["."];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.depth) {
      for (const path of level) tree.unseen.set(path, "too deep");
      break;
    }
    for (const path of level.splice(room)) tree.unseen.set(path, "too many");
    room -= level.length;
    const listings = await inBatches(level, (path) => look(scan, path));
    level = level.flatMap((path, index) => record(tree, path, listings[index] as Listing)).sort();
  }
  return tree;
}

/** Whether the folder, or one above it, was not looked at. */
export function isUnseen({ unseen }: Tree, path: string): boolean {
  return unseen.size > 0 && (unseen.has(path) || ancestorsOf(path).some((above) => unseen.has(above)));
}

/** The folders above one, from the nearest up to the root. */
export function ancestorsOf(path: string): string[] {
  if (path === ".") return [];
  const parts = path.split("/");
  return [...parts.slice(1).map((_, index) => parts.slice(0, -1 - index).join("/")), "."];
}

/** Puts a listing into the tree and returns the folders to look at next. */
function record(tree: Tree, path: string, listing: Listing): string[] {
  if ("why" in listing) {
    tree.unseen.set(path, listing.why);
    return [];
  }
  if (listing.files.length > 0) tree.directories.set(path, listing.files.sort());
  return listing.folders.map((name) => (path === "." ? name : `${path}/${name}`));
}

async function look(scan: Scan, path: string): Promise<Listing> {
  scan.signal.throwIfAborted();
  const full = join(scan.root, path);
  try {
    if (!(await isNew(scan, full))) return { files: [], folders: [] };
    return await list(scan, full);
  } catch (error) {
    if (path === "." || scan.signal.aborted) throw error;
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? { files: [], folders: [] } : { why: "not readable" };
  }
}

/** False for what is no folder any more, lies elsewhere, or was looked at under another name. */
async function isNew(scan: Scan, full: string): Promise<boolean> {
  const [found, real] = await Promise.all([lstat(full, { bigint: true }), realpath(full)]);
  const id = `${found.dev}:${found.ino}`;
  if (!found.isDirectory() || !isInside(real, scan.root) || scan.visited.has(id)) return false;
  scan.visited.add(id);
  return true;
}

async function list(scan: Scan, full: string): Promise<Listing> {
  const files: string[] = [];
  const folders: string[] = [];
  for await (const entry of await opendir(full, { bufferSize: 256 })) {
    if (entry.isDirectory() && !isLeftOut(entry.name)) folders.push(entry.name);
    if (!entry.isFile()) continue;
    if (scan.filesLeft-- <= 0) return { why: "too many" };
    files.push(entry.name);
  }
  return { files, folders };
}

function isLeftOut(name: string): boolean {
  return name.startsWith(".") || GENERATED.has(name);
}
