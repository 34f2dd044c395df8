/**
 * Where a program is. What the PATH has comes first, so that a repository cannot put another program in its place; then
 * `node_modules/.bin` and a virtual environment of the project. In strict mode callers name no such folders.
 */
import { access, constants, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import which from "which";

/** Absolute path of the program, or undefined. `folders`: where to look when the PATH has it not. */
export async function findProgram(command: string, folders: readonly string[] = []): Promise<string | undefined> {
  if (isAbsolute(command)) return (await isProgram(command)) ? command : undefined;
  for (const places of [pathFolders(), folders]) {
    if (places.length === 0) continue;
    const found = await which(command, { path: places.join(delimiter), nothrow: true });
    if (found !== null) return found;
  }
  return undefined;
}

/** The folders of the PATH; relative ones are left out, since they would mean folders of the project. */
export function pathFolders(): string[] {
  return (process.env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
}

/** Folders of the project that may hold programs, from the file's folder up to the root. */
export function projectPrograms(start: string, root: string): string[] {
  const folders: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    folders.push(join(folder, "node_modules", ".bin"));
    for (const environment of [".venv", "venv"]) {
      folders.push(join(folder, environment, process.platform === "win32" ? "Scripts" : "bin"));
    }
    if (folder === root || dirname(folder) === folder) return folders;
  }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
