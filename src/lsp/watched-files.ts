/**
 * Files that changed on the disk without being open in a server. Most servers leave it to the client to tell them, so
 * the workspace is looked through before a call, in bounds: what is beyond them goes unnoticed until it is opened.
 */
import { opendir, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { extensionOf } from "./languages.js";
import { stampOf } from "./source-file.js";
import { FileChangeType } from "./protocol.js";

const MAX_FILES = 10_000;
const MAX_DEPTH = 24;
const TOGETHER = 32;
/** How long a look at many entries may take, in milliseconds; what it did not reach counts as unchanged. */
const MAX_MS = 500;
/** A look at many entries that is longer than this makes the next calls do without, in milliseconds. */
const LONG_MS = 50;
/** With fewer entries a look is long only because the machine is busy, and is made before each call all the same. */
const MANY_ENTRIES = 2_000;

const NOT_ENTERED = new Set([
  ".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", "dist", "build", "target", "vendor", ".next", ".cache", ".omc",
]);

/** Files that decide what the others mean, whatever their extension. */
const DECISIVE =
  /^(?:go\.(?:mod|sum|work)|package\.json|[jt]sconfig.*\.json|pyproject\.toml|pyrightconfig\.json|setup\.cfg|Cargo\.(?:toml|lock)|compile_commands\.json|pom\.xml|.*\.gradle(?:\.kts)?)$/;

/** What package managers write into `node_modules` when they have changed it. */
const NODE_NOTES = [".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"];
const NODE_EXTENSIONS = [".ts", ".vue", ".svelte"];
/** The folder of packages in a virtual environment; its time changes with what is in it. */
const SITE_PACKAGES = "site-packages";

/** Whether a change of the path means that packages were installed or removed. */
export function tellsInstallation(path: string): boolean {
  return NODE_NOTES.includes(basename(path)) || basename(path) === SITE_PACKAGES;
}

export interface Change {
  path: string;
  type: FileChangeType;
}

export class WatchedFiles {
  readonly #root: string;
  readonly #extensions: ReadonlySet<string>;
  #stamps: Map<string, string> | undefined;
  /** When the next look may be, as of Date.now. */
  #notBefore = 0;
  #looking: Promise<Change[]> | undefined;
  #next: Promise<Change[]> | undefined;

  constructor(root: string, extensions: readonly string[]) {
    this.#root = root;
    this.#extensions = new Set(extensions);
  }

  /**
   * What changed since the last look; nothing at the first. A look that began before this call does not count for it.
   * After a long look at many entries the next calls do without, so that looking takes a small part of the time.
   */
  async changes(): Promise<Change[]> {
    if (Date.now() < this.#notBefore) return [];
    if (this.#looking === undefined) return (this.#looking = this.#look().finally(() => (this.#looking = undefined)));
    this.#next ??= this.#looking.catch(() => {}).then(() => {
      this.#next = undefined;
      return this.changes();
    });
    return this.#next;
  }

  async #look(): Promise<Change[]> {
    const before = this.#stamps;
    const begun = Date.now();
    const { stamps, complete, entries } = await this.#walk();
    const took = Date.now() - begun;
    if (took > LONG_MS && entries > MANY_ENTRIES) this.#notBefore = begun + took * 5;
    const changes: Change[] = [];
    for (const [path, stamp] of stamps) {
      const known = before?.get(path);
      if (known !== stamp) changes.push({ path, type: known === undefined ? FileChangeType.Created : FileChangeType.Changed });
    }
    for (const [path, stamp] of before ?? []) {
      if (stamps.has(path)) continue;
      if (complete) changes.push({ path, type: FileChangeType.Deleted });
      else stamps.set(path, stamp);
    }
    this.#stamps = stamps;
    return before === undefined ? [] : changes;
  }

  async #walk(): Promise<{ stamps: Map<string, string>; complete: boolean; entries: number }> {
    const until = Date.now() + MAX_MS;
    const stamps = new Map<string, string>();
    let entries = 0;
    let folders = [this.#root];
    for (let depth = 0; folders.length > 0; depth++) {
      if (depth > MAX_DEPTH) return { stamps, complete: false, entries };
      const below: string[] = [];
      for (let start = 0; start < folders.length; start += TOGETHER) {
        if ((Date.now() > until && entries > MANY_ENTRIES) || stamps.size > MAX_FILES) return { stamps, complete: false, entries };
        const read = await Promise.all(folders.slice(start, start + TOGETHER).map((folder) => this.#readFolder(folder, stamps, below)));
        for (const count of read) entries += count;
      }
      folders = below;
    }
    return { stamps, complete: true, entries };
  }

  /** Returns how many entries were looked at. */
  async #readFolder(folder: string, stamps: Map<string, string>, below: string[]): Promise<number> {
    const files: string[] = [];
    let entries = 0;
    try {
      for await (const entry of await opendir(folder)) {
        entries++;
        if (entry.isDirectory()) {
          if (!NOT_ENTERED.has(entry.name)) below.push(join(folder, entry.name));
          else files.push(...(await this.#packages(join(folder, entry.name))));
        } else if (entry.isFile() && this.#isWatched(entry.name)) {
          files.push(join(folder, entry.name));
        }
      }
    } catch {
      return entries; // gone, or not for us
    }
    for (let start = 0; start < files.length; start += TOGETHER) {
      await Promise.all(
        files.slice(start, start + TOGETHER).map(async (path) => {
          const found = await stat(path).catch(() => undefined);
          if (found !== undefined) stamps.set(path, stampOf(found));
        }),
      );
    }
    return entries;
  }

  /** What tells of installations in a folder that is not entered. */
  async #packages(folder: string): Promise<string[]> {
    const name = basename(folder);
    if (name === "node_modules" && NODE_EXTENSIONS.some((extension) => this.#extensions.has(extension))) {
      return NODE_NOTES.map((note) => join(folder, note));
    }
    if (!/^\.?venv$/.test(name) || !this.#extensions.has(".py")) return [];
    const pythons = await readdir(join(folder, "lib")).catch(() => []);
    return [join(folder, "Lib", SITE_PACKAGES), ...pythons.map((python) => join(folder, "lib", python, SITE_PACKAGES))];
  }

  #isWatched(name: string): boolean {
    return this.#extensions.has(extensionOf(name)) || DECISIVE.test(basename(name));
  }
}
