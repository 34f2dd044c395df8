/**
 * Where the files of running sessions lie: a folder that belongs to this user alone, so that nobody else can answer in the
 * place of a bridge or read what it is told. Programs that end sessions look in the first two places of the list.
 *
 * 1. `$XDG_RUNTIME_DIR/omc`, if that variable names a folder of this user with mode 0700
 * 2. Linux `/tmp/omc/runtime`, macOS `~/Library/Caches/omc/runtime`, Windows `%LOCALAPPDATA%\omc\runtime`
 * 3. Linux, when another user has taken `/tmp/omc`: `/tmp/omc-UID/runtime`
 */
import { chmod, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { statedHome } from "../../lib/home-folder.js";
import { ensureDir } from "../../lib/omc-paths.js";

/** No folder that belongs to this user alone can be had. The message says what to do. */
export class RuntimeFolderError extends Error {
  override name = "RuntimeFolderError";
}

export interface Surroundings {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  home: string | undefined;
  /** Undefined on Windows. */
  uid: number | undefined;
  /** The folder that all users share, on Linux. */
  shared: string;
}

/** The folder, made if it is not there. @throws {RuntimeFolderError} */
export async function runtimeFolder(
  surroundings: Surroundings = {
    env: process.env,
    platform: process.platform,
    home: statedHome(),
    uid: process.getuid?.(),
    shared: "/tmp",
  },
): Promise<string> {
  const { env, platform, home, uid, shared } = surroundings;
  const given = env["XDG_RUNTIME_DIR"];
  if (given !== undefined && (await isRuntimeDir(given, uid))) {
    const folder = join(given, "omc");
    if (await makeOwn(folder, uid)) return folder;
  }
  if (platform === "linux") return sharedPlace(shared, uid);
  const base = privateBase(platform, env, home);
  for (const folder of [join(base, "omc"), join(base, "omc", "runtime")]) {
    await ensureDir(base);
    if (!(await makeOwn(folder, uid))) throw new RuntimeFolderError(`'${folder}' belongs to another user or is no folder; remove it`);
  }
  return join(base, "omc", "runtime");
}

function privateBase(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, home: string | undefined): string {
  if (platform === "darwin" && home !== undefined) return join(home, "Library", "Caches");
  if (platform === "win32") return env["LOCALAPPDATA"] ?? (home === undefined ? tmpdir() : join(home, "AppData", "Local"));
  return tmpdir();
}

async function sharedPlace(shared: string, uid: number | undefined): Promise<string> {
  for (const name of ["omc", `omc-${uid}`]) {
    const folder = join(shared, name, "runtime");
    if ((await makeOwn(join(shared, name), uid)) && (await makeOwn(folder, uid))) return folder;
  }
  throw new RuntimeFolderError(
    `'${shared}/omc' and '${shared}/omc-${uid}' belong to other users; set XDG_RUNTIME_DIR to a folder of your own with mode 0700`,
  );
}

async function isRuntimeDir(path: string, uid: number | undefined): Promise<boolean> {
  if (!isAbsolute(path)) return false;
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && found.isDirectory() && found.uid === uid && (found.mode & 0o7777) === 0o700;
}

/** Makes the folder or takes one that is this user's; others lose their rights to it. False when it is somebody else's. */
async function makeOwn(folder: string, uid: number | undefined): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const found = await lstat(folder);
  if (!found.isDirectory() || (uid !== undefined && found.uid !== uid)) return false;
  if (uid !== undefined && (found.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
  return true;
}
