/** Which language server a file gets, and how it is started. */
import { dirname } from "node:path";
import { cut } from "../lib/cut.js";
import { securitySettings } from "../lib/tool-paths.js";
import { typescriptServers } from "./choose-typescript.js";
import { findProgram, projectPrograms } from "./find-program.js";
import { extensionOf, languageIdOf } from "./languages.js";
import { PYTHON, SERVERS, type ServerDefinition } from "./registry.js";
import { LspFailure } from "./session.js";
import { workspaceRoot } from "./workspace-root.js";

export interface Choice {
  definition: ServerDefinition;
  root: string;
  /** Absolute path of the program. */
  program: string;
}

/** The registry as this environment has it, in the order of `lsp_servers`. */
export function servers(): readonly ServerDefinition[] {
  const python = pythonDefault();
  return SERVERS.map((row) => (row.key === "python" ? python : row));
}

/** Whether some row of the registry knows the extension. */
export function supports(path: string): boolean {
  return rowFor(path) !== undefined;
}

/** The language identifier of a supported path, or undefined. */
export function languageOf(path: string): string | undefined {
  return supports(path) ? languageIdOf(path) : undefined;
}

/** Server, root and program for a file. @throws {LspFailure} when no server knows it, or the server is not installed. */
export async function chooseServer(path: string, shown: string): Promise<Choice> {
  const row = rowFor(path);
  if (row === undefined) {
    throw new LspFailure(`No language server available for file type: ${cut(shown)}\nlsp_servers lists the known types.`);
  }
  const { strict } = await securitySettings();
  const root = await workspaceRoot(path, row.key);
  const folders = strict ? [] : projectPrograms(dirname(path), root);
  for (const definition of await candidates(row, path, strict)) {
    const program = await findProgram(definition.command, folders);
    if (program !== undefined) return { definition, root, program };
  }
  throw new LspFailure(`Language server '${row.command}' not found.\nInstall with: ${row.install}`);
}

/** The row as it fits the file, and those that may stand in for it. */
async function candidates(row: ServerDefinition, path: string, strict: boolean): Promise<readonly ServerDefinition[]> {
  if (row.key === "typescript") return typescriptServers(row, dirname(path), strict);
  if (row.key === "python") return [row, ...PYTHON.filter((other) => other !== row)];
  return [strict ? { ...row, options: { ...row.options, ...row.strictOptions } } : row];
}

function rowFor(path: string): ServerDefinition | undefined {
  const extension = extensionOf(path);
  return servers().find(({ extensions }) => extensions.includes(extension));
}

/** As OMC_PYTHON_LSP says: `basedpyright` or `pyright`; anything else is ty. */
function pythonDefault(): ServerDefinition {
  const wanted = process.env["OMC_PYTHON_LSP"];
  const chosen = PYTHON.find(({ command }) => command === `${wanted}-langserver`);
  return chosen ?? (PYTHON[0] as ServerDefinition);
}
