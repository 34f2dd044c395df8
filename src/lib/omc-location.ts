/**
 * Where the `.omc` folder of a project is. In this order:
 *
 * 1. `OMC_STATE_DIR` is set: a folder for the project in it. `~` is the home folder; a relative value
 *    counts from the server's working directory.
 * 2. A file `.omc-workspace` in a folder above: `.omc` beside it, so that several repositories share one.
 * 3. A git worktree: `.omc` in its root, or in that of the outermost superproject.
 * 4. Otherwise, a folder of its own for each directory: `~/.omc/projects/<project id>`.
 *
 * oh-my-claudecode 5.5.0 puts everything of case 4 into the one `~/.omc`, where the notes of all such
 * directories mix. Its hooks look there for the state of sessions, whose ids are unique anyway, so
 * `sessionsOmc` still is that place; and `fallbackOmc` names where older data may be found.
 */
import { createHash } from "node:crypto";
import { lstat, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import { readTextFile } from "./atomic-file.js";
import { askGit, originUrl, primaryRoot, type Repository } from "./git-probe.js";
import { homeFolder, statedHome } from "./home-folder.js";
import { probeFailed, WorkspaceError } from "./workspace-error.js";

export interface OmcLocation {
  /** The `.omc` folder. It need not exist yet. */
  omc: string;
  /** The folder in which `state/sessions` and `sessions` are: `omc`, but for directories without repository or marker. */
  sessionsOmc: string;
  /** Another existing folder with data of an older layout, to read from when `omc` has no such file. Others may share it. */
  fallbackOmc: string | undefined;
}

const MARKER = ".omc-workspace";
const MAX_MARKER_BYTES = 64 * 1024;
const MAX_SUPERPROJECTS = 32;

/**
 * @param root the worktree root, or the directory when there is no repository; real path
 * @param stableRoot the directory that stands for all places outside of repositories: the server's own
 */
export async function locateOmc(root: string, repository: Repository | undefined, stableRoot: string): Promise<OmcLocation> {
  const marker = await findMarker(root);
  const stateDir = process.env["OMC_STATE_DIR"];
  if (stateDir !== undefined && stateDir !== "") return centralised(stateDir, marker, repository, stableRoot);
  if (marker !== undefined) return single(join(marker, ".omc"));
  if (repository !== undefined) return single(join(await outermost(repository), ".omc"));
  return besideHome(stableRoot);
}

/** The root of the outermost repository that has this one, directly or not, as a submodule. */
export async function outermost(repository: Repository): Promise<string> {
  let at = repository;
  for (let climbed = 0; at.superproject !== undefined && climbed < MAX_SUPERPROJECTS; climbed++) {
    const above = await askGit(await realpath(at.superproject).catch(() => at.superproject as string));
    if (above.kind === "failed") throw probeFailed("the superproject of this submodule", above.why);
    if (above.kind === "none") break;
    at = above;
  }
  return at.toplevel;
}

function single(omc: string): OmcLocation {
  return { omc, sessionsOmc: omc, fallbackOmc: undefined };
}

async function centralised(
  value: string,
  marker: string | undefined,
  repository: Repository | undefined,
  stableRoot: string,
): Promise<OmcLocation> {
  const base = expandHome(value);
  if (marker === undefined && repository === undefined) {
    const shared = join(base, "non-git");
    return { omc: join(base, pathId(stableRoot)), sessionsOmc: shared, fallbackOmc: await existing(shared) };
  }
  const id = marker !== undefined ? await markerId(marker) : await repositoryId(repository as Repository);
  const omc = join(base, id);
  // What was written while `~` was taken for the name of a folder.
  const literal = value.startsWith("~") ? await existing(resolve(value, id)) : undefined;
  return { omc, sessionsOmc: omc, fallbackOmc: literal };
}

async function besideHome(stableRoot: string): Promise<OmcLocation> {
  const home = await homeFolder();
  if (home === undefined) {
    throw new WorkspaceError(`the home folder is '${statedHome() ?? ""}', which is no place for .omc; set OMC_STATE_DIR`);
  }
  const shared = join(home, ".omc");
  if (stableRoot === home) return single(shared);
  return { omc: join(shared, "projects", pathId(stableRoot)), sessionsOmc: shared, fallbackOmc: await existing(shared) };
}

/** `~` and `~/x` lead home; everything else counts from the working directory. */
function expandHome(value: string): string {
  if (value !== "~" && !/^~[\\/]/.test(value)) return resolve(value);
  const home = statedHome();
  if (home === undefined) throw new WorkspaceError("OMC_STATE_DIR begins with '~', but HOME names no folder; give a full path");
  return join(home, value.slice(2));
}

async function existing(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() ? path : undefined;
}

async function repositoryId(repository: Repository): Promise<string> {
  const primary = primaryRoot(repository);
  return `${safeName(basename(primary))}-${digest((await originUrl(repository)) ?? primary)}`;
}

async function markerId(anchor: string): Promise<string> {
  const id = await declaredId(join(anchor, MARKER));
  if (id === undefined) return pathId(anchor);
  const safe = safeName(id);
  return `${safe}-${digest(safe)}`;
}

async function declaredId(file: string): Promise<string | undefined> {
  try {
    const parsed: unknown = JSON.parse((await readTextFile(file, { maxBytes: MAX_MARKER_BYTES })) ?? "");
    const id = (parsed as { id?: unknown } | null)?.id;
    return typeof id === "string" && id !== "" ? id : undefined;
  } catch {
    return undefined; // an empty marker is the usual one
  }
}

function pathId(path: string): string {
  return `${safeName(basename(path))}-${digest(path)}`;
}

function safeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** The nearest folder, from `root` up to below the home folder, that has the marker file and may be an anchor. */
async function findMarker(root: string): Promise<string | undefined> {
  if (process.env["OMC_DISABLE_MULTIREPO"] === "1") return undefined;
  const home = await homeFolder();
  for (let at = root; at !== home && dirname(at) !== at; at = dirname(at)) {
    const found = await lstat(join(at, MARKER)).catch(() => undefined);
    if (found?.isFile() && !(await isSensitive(at, home))) return at;
  }
  return undefined;
}

const SENSITIVE_NAMES = new Set(
  (
    ".ssh .gnupg .aws .azure .gcloud .kube ssh .pki .config .claude .codex .gemini .cursor .vscode .ollama .docker .npm " +
    ".cache .local desktop documents downloads pictures photos music movies videos public library"
  ).split(" "),
);
const SYSTEM_FOLDERS = ["/var", "/usr", "/etc", "/opt", "/private/var", "/tmp"];

/** A folder that must not become a project's anchor: home, hidden, personal, temporary and system folders. */
export async function isSensitive(path: string, home: string | undefined): Promise<boolean> {
  if (path === home || dirname(path) === path) return true;
  const parts = path.split(sep).map((part) => part.toLowerCase());
  if (parts.some((part) => (part.startsWith(".") && part !== ".omc") || SENSITIVE_NAMES.has(part))) return true;
  const temp = await realpath(tmpdir()).catch(() => tmpdir());
  return [...SYSTEM_FOLDERS, temp].some((folder) => path === folder || path.startsWith(folder + sep));
}
