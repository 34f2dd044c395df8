/** Which TypeScript compiler checks a directory: the project's own, else the one on PATH. */
import { dirname, join } from "node:path";
import { securitySettings } from "../../../lib/tool-paths.js";
import { findProgram } from "../../../lsp/find-program.js";
import { workspaceRoot } from "../../../lsp/workspace-root.js";

/** How the compiler is started; its own arguments come after `args`. */
export interface Compiler {
  /** Absolute path. */
  command: string;
  args: readonly string[];
}

/** The compiler, or undefined when there is none. A project's own is not run with strict settings. */
export async function findTsc(directory: string): Promise<Compiler | undefined> {
  const { strict } = await securitySettings();
  for (const folder of strict ? [] : await programFolders(directory)) {
    const compiler = await startable(join(folder, process.platform === "win32" ? "tsc.cmd" : "tsc"));
    if (compiler !== undefined) return compiler;
  }
  const onPath = await findProgram("tsc");
  return onPath === undefined ? undefined : startable(onPath);
}

/**
 * Windows has a command script there, which only a shell runs, and a shell would read more into the names of folders
 * than names. So the program that such a script starts is started instead.
 */
async function startable(program: string): Promise<Compiler | undefined> {
  const found = await findProgram(program);
  if (found === undefined || process.platform !== "win32") return found === undefined ? undefined : { command: found, args: [] };
  for (const packages of [join(dirname(found), ".."), join(dirname(found), "node_modules")]) {
    const script = await findProgram(join(packages, "typescript", "bin", "tsc"));
    if (script !== undefined) return { command: process.execPath, args: [script] };
  }
  return undefined;
}

/** Where packages put programs, from the directory up to the root of its workspace; what lies above may be anybody's. */
async function programFolders(directory: string): Promise<string[]> {
  const root = await workspaceRoot(join(directory, "tsconfig.json"), "typescript");
  const folders: string[] = [];
  for (let folder = directory; ; folder = dirname(folder)) {
    folders.push(join(folder, "node_modules", ".bin"));
    if (folder === root || dirname(folder) === folder) return folders;
  }
}
