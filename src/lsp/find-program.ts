/**
 * Where a program is. A language server that the project installed fits the project best, so `node_modules/.bin` and a
 * virtual environment are looked into first; in strict mode only the PATH counts, since such folders can come with a
 * repository.
 */
import { access, constants, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import which from "which";

/** Absolute path of the program, or undefined. `folders`: where to look before the PATH. */
export async function findProgram(command: string, folders: readonly string[] = []): Promise<string | undefined> {
  if (isAbsolute(command)) return (await isProgram(command)) ? command : undefined;
  const here = folders.length === 0 ? null : await which(command, { path: folders.join(delimiter), nothrow: true });
  if (here !== null) return here;
  // Relative entries of the PATH would mean folders of the project.
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return (await which(command, { path: path.join(delimiter), nothrow: true })) ?? undefined;
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
