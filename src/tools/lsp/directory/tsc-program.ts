/** Which TypeScript compiler checks a directory: the project's own, else the one on PATH. */
import { dirname, join } from "node:path";
import { securitySettings } from "../../../lib/tool-paths.js";
import { findProgram } from "../../../lsp/find-program.js";
import { workspaceRoot } from "../../../lsp/workspace-root.js";

/** Absolute path of the program, or undefined when there is none. A project's own is not run with strict settings. */
export async function findTsc(directory: string): Promise<string | undefined> {
  const { strict } = await securitySettings();
  for (const folder of strict ? [] : await programFolders(directory)) {
    const program = await findProgram(join(folder, process.platform === "win32" ? "tsc.cmd" : "tsc"));
    if (program !== undefined) return program;
  }
  return findProgram("tsc");
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
