/**
 * The files that a search looks at, in the order of their names. Links are not followed, and what a `.gitignore` or
 * `.git/info/exclude` excludes is left out, unless the caller named it. Everything here waits for the disk: it runs in
 * the engine, which has nothing else to do.
 */
import ignore, { type Ignore } from "ignore";
import { type Dirent, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, relative, sep } from "node:path";

const SKIPPED_FOLDERS = new Set(["node_modules", ".git", "dist", "build", "__pycache__", ".venv", "venv"]);
const MAX_RULES_BYTES = 1024 * 1024;
/** As git does it by default: by what the file system of the platform usually does. */
const IGNORES_CASE = process.platform === "win32" || process.platform === "darwin";

/** The rules of one folder. */
interface Rules {
  folder: string;
  ignore: Ignore;
}

/** The file itself, or all files below the folder with one of the extensions. Folders that cannot be read are left out. */
export function* sourceFiles(start: string, extensions: readonly string[]): Generator<string> {
  if (!statSync(start).isDirectory()) {
    yield start;
    return;
  }
  yield* below(start, extensions, rulesAbove(start));
}

function* below(folder: string, extensions: readonly string[], above: readonly Rules[]): Generator<string> {
  const entries = list(folder);
  const own = entries.some((entry) => entry.name === ".gitignore" && entry.isFile()) ? readRules(folder, ".gitignore") : undefined;
  const rules = own === undefined ? above : [...above, own];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (SKIPPED_FOLDERS.has(entry.name) || isIgnored(path, true, rules)) continue;
      yield* below(path, extensions, rules);
    } else if (entry.isFile() && extensions.includes(extname(entry.name).toLowerCase()) && !isIgnored(path, false, rules)) {
      yield path;
    }
  }
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** Rules of the repository's folders above `start`; none when they exclude it, since then the caller wants it all the same. */
function rulesAbove(start: string): Rules[] {
  const chain: string[] = [];
  for (let at = start; ; at = dirname(at)) {
    if (at !== start) chain.unshift(at);
    if (exists(join(at, ".git"))) break;
    if (dirname(at) === at) return [];
  }
  const root = chain[0] ?? start;
  const exclude = readRules(root, join(".git", "info", "exclude"));
  const rules: Rules[] = exclude === undefined ? [] : [exclude];
  for (const [index, folder] of chain.entries()) {
    const own = readRules(folder, ".gitignore");
    if (own !== undefined) rules.push(own);
    if (isIgnored(chain[index + 1] ?? start, true, rules)) return [];
  }
  return rules;
}

/** The nearest folder that says something decides. */
function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const { folder, ignore: own } of rules.toReversed()) {
    const name = relative(folder, path).split(sep).join("/");
    const { ignored, unignored } = own.test(isFolder ? `${name}/` : name);
    if (ignored || unignored) return ignored;
  }
  return false;
}

function readRules(folder: string, name: string): Rules | undefined {
  try {
    const path = join(folder, name);
    const found = lstatSync(path);
    if (!found.isFile() || found.size > MAX_RULES_BYTES) return undefined;
    return { folder, ignore: ignore({ ignorecase: IGNORES_CASE }).add(readFileSync(path, "utf8")) };
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
