/**
 * The published package that the server `t` can stand in for. It is only run, over stdio, as a client runs it. Downloaded
 * once with npm into a folder for temporary files and checked against its published digest; OMC_REFERENCE names an
 * unpacked package instead.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, mkdir, readFile, rename, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { lastingFolder, removeFolder } from "../test-support/folders.js";

const run = promisify(execFile);

const NAME = "oh-my-claude-sisyphus";
const VERSION = "5.5.0";
const SHA512 = "OXqzzFwPZ6CfCej1S7VM2/6rErioskmKluA+JEzRfZdKLQ3ci2iTVd/FZ7uu4UsOs9Gqs5mmtfT54jIKUqOjug==";
const BUNDLE = join("bridge", "mcp-server.cjs");

/** Absolute path of the reference's server bundle. @throws {Error} when it cannot be had or is not what was published. */
export async function referenceBundle(): Promise<string> {
  const given = process.env["OMC_REFERENCE"];
  if (given !== undefined && given !== "") return join(given, BUNDLE);
  const folder = join(tmpdir(), `omcbuild-reference-${VERSION}-${process.getuid?.() ?? 0}`);
  const bundle = join(folder, "package", BUNDLE);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await demandPrivate(folder);
  if (!(await exists(bundle))) await download(folder);
  return bundle;
}

/**
 * The folder's name can be foreseen, so another user of the machine could have put a program there for us to run.
 * @throws {Error} when the path is not a folder that belongs to this user alone.
 */
export async function demandPrivate(folder: string): Promise<void> {
  const user = process.getuid?.();
  if (user === undefined) return; // the temporary folder is each user's own on Windows
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === user && (found.mode & 0o077) === 0) return;
  throw new Error(`${folder}: is not a folder that this user alone can open; remove it, or set OMC_REFERENCE to an unpacked package`);
}

/** Unpacks beside the target and renames, so that a run that was cut off leaves no half package. */
async function download(folder: string): Promise<void> {
  const beside = await lastingFolder(`${basename(folder)}-`);
  try {
    await run("npm", ["pack", "--silent", `${NAME}@${VERSION}`], { cwd: beside });
    const archive = join(beside, `${NAME}-${VERSION}.tgz`);
    const digest = createHash("sha512").update(await readFile(archive)).digest("base64");
    if (digest !== SHA512) throw new Error(`${NAME}@${VERSION}: the archive is not the one that was published`);
    await run("tar", ["-xzf", archive, "-C", beside]);
    await rename(join(beside, "package"), join(folder, "package"));
  } finally {
    await removeFolder(beside);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
