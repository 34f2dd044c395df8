/** The packages of the table, installed as the lock file in packages/ says, into a temporary folder. */
import { execFile } from "node:child_process";
import { copyFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { lastingFolder, removeFolder } from "../../test-support/folders.js";

const run = promisify(execFile);

export interface Installation {
  /** Folder that has node_modules; real path. */
  folder: string;
  remove(): Promise<void>;
}

/**
 * Installs all of them; npm checks each archive against the lock file's digest, and no script of a package is run.
 * OMC_SERVERS names a folder where that was done before instead.
 */
export async function installServers(): Promise<Installation> {
  const given = process.env["OMC_SERVERS"];
  if (given !== undefined && given !== "") return { folder: await realpath(given), remove: async () => {} };
  const folder = await lastingFolder("omc-servers-");
  const remove = () => removeFolder(folder);
  try {
    for (const name of ["package.json", "package-lock.json"]) {
      await copyFile(fileURLToPath(new URL(`packages/${name}`, import.meta.url)), join(folder, name));
    }
    await run("npm", ["ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--prefer-offline", "--silent"], { cwd: folder });
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, remove };
}
