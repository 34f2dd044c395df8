/**
 * Which folder a language server is started for. Servers cope with many packages, and each costs memory, so the
 * outermost folder that declares a workspace of the language is taken, not the nearest package. The search ends at the
 * repository, and below the home folder.
 */
import { readdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { readBounded } from "../lib/bounded-file.js";
import { homeFolder } from "../lib/home-folder.js";

/** What makes a folder a root for a language. */
interface Markers {
  /** Declares several packages; the outermost wins. The pattern must match the file's text, if given. */
  workspace: readonly Marker[];
  /** Marks one package. */
  package: readonly string[];
  /** Whether the repository is taken before a package of it. */
  repository: boolean;
}

interface Marker {
  file: string;
  text?: RegExp;
}

const NODE: Markers = {
  workspace: [
    { file: "pnpm-workspace.yaml" },
    { file: "package.json", text: /"workspaces"\s*:/ },
    { file: "lerna.json" },
    { file: "nx.json" },
    { file: "rush.json" },
  ],
  package: ["package.json", "tsconfig.json", "jsconfig.json"],
  repository: true,
};

const JVM: Markers = {
  workspace: [{ file: "settings.gradle" }, { file: "settings.gradle.kts" }, { file: "pom.xml" }],
  package: ["build.gradle", "build.gradle.kts"],
  repository: false,
};

const ANY: Markers = {
  workspace: [],
  package: [
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "pom.xml",
    "package.json",
    "tsconfig.json",
    "pyproject.toml",
    "Cargo.toml",
    "go.mod",
  ],
  repository: true,
};

const MARKERS: Readonly<Record<string, Markers>> = {
  typescript: NODE,
  vue: NODE,
  svelte: NODE,
  mdx: NODE,
  go: { workspace: [{ file: "go.work" }], package: ["go.mod"], repository: true },
  rust: { workspace: [{ file: "Cargo.toml", text: /^\s*\[workspace\b/m }], package: ["Cargo.toml"], repository: false },
  python: {
    workspace: [{ file: "pyproject.toml", text: /^\s*\[tool\.uv\.workspace\]/m }, { file: "pyrightconfig.json" }],
    package: ["pyproject.toml", "ty.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"],
    repository: false,
  },
  java: JVM,
  kotlin: JVM,
  c: { workspace: [], package: ["compile_commands.json", "compile_flags.txt", ".clangd"], repository: false },
  dart: { workspace: [{ file: "pubspec.yaml", text: /^workspace:/m }], package: ["pubspec.yaml"], repository: false },
  swift: { workspace: [], package: ["Package.swift"], repository: false },
  elixir: { workspace: [{ file: "mix.exs" }], package: [], repository: false },
};

const MAX_MARKER_BYTES = 1024 * 1024;

/** The root for a file, given by its real path, and the key of a server. The file need not exist. */
export async function workspaceRoot(file: string, serverKey: string): Promise<string> {
  const start = startFolder(file);
  const { folders, repository } = await foldersAbove(start);
  const markers = MARKERS[serverKey] ?? ANY;
  for (const { folder, names } of folders.toReversed()) {
    if (await declaresWorkspace(folder, names, markers.workspace)) return folder;
  }
  if (markers.repository && repository !== undefined) return repository;
  const packages = folders.filter(({ names }) => markers.package.some((name) => names.has(name)));
  // Without a repository to hold them together, the outermost package is nearest to one.
  const chosen = markers.repository ? packages.at(-1) : packages[0];
  return chosen?.folder ?? repository ?? (await anyPackage(folders)) ?? start;
}

/** Files of installed packages belong to the project that installed them. */
function startFolder(file: string): string {
  const folder = dirname(file);
  const installed = `${folder}${sep}`.indexOf(`${sep}node_modules${sep}`);
  return installed > 0 ? folder.slice(0, installed) : folder;
}

interface Folder {
  folder: string;
  names: Set<string>;
}

/** Folders from `start` up to the repository's, nearest first, without the home folder and the root of the disk. */
async function foldersAbove(start: string): Promise<{ folders: Folder[]; repository: string | undefined }> {
  const home = await homeFolder();
  const folders: Folder[] = [];
  for (let folder = start; dirname(folder) !== folder && folder !== home; folder = dirname(folder)) {
    const names = new Set(await readdir(folder).catch(() => []));
    folders.push({ folder, names });
    if (names.has(".git")) return { folders, repository: folder };
  }
  return { folders, repository: undefined };
}

async function declaresWorkspace(folder: string, names: Set<string>, markers: readonly Marker[]): Promise<boolean> {
  for (const { file, text } of markers) {
    if (!names.has(file)) continue;
    if (text === undefined) return true;
    const content = await readBounded(join(folder, file), MAX_MARKER_BYTES).catch(() => undefined);
    if (content !== undefined && text.test(content)) return true;
  }
  return false;
}

async function anyPackage(folders: readonly Folder[]): Promise<string | undefined> {
  return folders.find(({ names }) => ANY.package.some((name) => names.has(name)))?.folder;
}
