/** Which language server a file gets, and how it is started. */
import { dirname, isAbsolute } from "node:path";
import { cut } from "../lib/cut.js";
import { securitySettings } from "../lib/tool-paths.js";
import { projectServers, typescriptServers } from "./choose-typescript.js";
import { type DevContainer, devContainer } from "./dev-container.js";
import { findProgram, projectPrograms } from "./find-program.js";
import { extensionOf, languageIdOf } from "./languages.js";
import { PYTHON, SERVERS, type ServerDefinition } from "./registry.js";
import { LspFailure } from "./session.js";
import { withUserServers } from "./user-servers.js";
import { workspaceRoot } from "./workspace-root.js";

export interface Choice {
  definition: ServerDefinition;
  /** Absolute path of the workspace root on this machine. */
  root: string;
  /** Absolute path of the program; its name, or its path there, in a container. */
  program: string;
  container?: DevContainer;
}

/** The rows with the user's own; not there before they are loaded. */
let loaded: { from: string; rows: readonly ServerDefinition[] } | undefined;

/** Reads what the user says about servers, once. Without it only the built-in ones are known. */
export async function loadServers(): Promise<void> {
  const from = JSON.stringify(["HOME", "XDG_CONFIG_HOME", "APPDATA", "OMC_PYTHON_LSP"].map((name) => process.env[name]));
  if (loaded?.from === from) return;
  loaded = { from, rows: await withUserServers(builtIn()) };
}

/** The registry as this environment and the user have it, in the order of `lsp_servers`. */
export function servers(): readonly ServerDefinition[] {
  return loaded?.rows ?? builtIn();
}

function builtIn(): readonly ServerDefinition[] {
  const python = pythonDefault();
  return SERVERS.map((row) => (row.key === "python" ? python : row));
}

/** Whether some row of the registry knows the extension. */
export function supports(path: string): boolean {
  return rowFor(path) !== undefined;
}

/** The language identifier of a supported path, or undefined. */
export function languageOf(path: string): string | undefined {
  const row = rowFor(path);
  return row && (row.languageId ?? languageIdOf(path));
}

/** Server, root and program for a file. @throws {LspFailure} when no server knows it, or the server is not installed. */
export async function chooseServer(path: string, shown: string): Promise<Choice> {
  await loadServers();
  const row = rowFor(path);
  if (row === undefined) {
    throw new LspFailure(`No language server available for file type: ${cut(shown)}\nlsp_servers lists the known types.`);
  }
  const { strict } = await securitySettings();
  const root = await workspaceRoot(path, row.key);
  const container = await devContainer(root);
  if (container !== undefined) return inContainer(row, path, root, container);
  const folders = strict ? [] : projectPrograms(dirname(path), root);
  for (const definition of await candidates(row, dirname(path), strict)) {
    const program = await findProgram(definition.command, folders);
    if (program !== undefined) return { definition, root, program };
  }
  throw new LspFailure(`Language server '${row.command}' not found.\nInstall with: ${row.install}`);
}

/**
 * What would be started for files of the row in the folder; the row itself when nothing is there that could be.
 * @throws {LspFailure} when what is there may not be started.
 */
export async function standIn(row: ServerDefinition, folder: string, folders: readonly string[], strict: boolean): Promise<ServerDefinition> {
  for (const definition of await candidates(row, folder, strict)) {
    if ((await findProgram(definition.command, folders)) !== undefined) return definition;
  }
  return row;
}

/** What is installed in a container is not known before it is tried. */
async function inContainer(row: ServerDefinition, path: string, root: string, container: DevContainer): Promise<Choice> {
  const [first] = (row.key === "typescript" && row.own !== true && (await projectServers(row, dirname(path)))) || [row];
  const definition = first !== undefined && isAbsolute(first.command) ? first : row;
  return { definition, root, program: container.inside(definition.command), container };
}

/** The row as it fits files in the folder, and those that may stand in for it. */
async function candidates(row: ServerDefinition, folder: string, strict: boolean): Promise<readonly ServerDefinition[]> {
  if (row.own === true) return [row];
  if (row.key === "typescript") return typescriptServers(row, folder, strict);
  if (row.key === "python") return [row, ...PYTHON.filter(({ command }) => command !== row.command)];
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
