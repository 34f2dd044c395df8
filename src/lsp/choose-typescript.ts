/**
 * Which TypeScript a file gets. A project with TypeScript 7, whose compiler is itself a language server, gets that one;
 * any other gets the classic server, told where the project's TypeScript is. In strict mode nothing that lies in the
 * project is run, and only a TypeScript that is installed on the machine counts.
 */
import { access, realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { readBounded } from "../lib/bounded-file.js";
import { findProgram } from "./find-program.js";
import { LspFailure } from "./session.js";
import { TYPESCRIPT, type ServerDefinition } from "./registry.js";

const MAX_MANIFEST_BYTES = 1024 * 1024;

/** TypeScript 7 and later, as a server. The command is an absolute path. */
function nativeServer(command: string): ServerDefinition {
  return {
    key: "typescript",
    name: "TypeScript 7 Native Language Server (typescript-go)",
    command,
    args: ["--lsp", "--stdio"],
    extensions: TYPESCRIPT.extensions,
    install: TYPESCRIPT.install,
  };
}

/** The servers for a file of the project, the best first. `folder`: the file's. */
export async function typescriptServers(row: ServerDefinition, folder: string, strict: boolean): Promise<ServerDefinition[]> {
  const ofProject = strict ? undefined : await projectServers(row, folder);
  return ofProject ?? installedServers(row, strict);
}

/** The servers for the TypeScript that the project installed; undefined when it has none. */
export async function projectServers(row: ServerDefinition, folder: string): Promise<ServerDefinition[] | undefined> {
  const project = await projectTypescript(folder);
  if (project === undefined) return undefined;
  const native = (await isNative(project)) ? await shim(project) : undefined;
  const tsserver = join(project, "lib", "tsserver.js");
  const classic = (await exists(tsserver)) ? withTsserver(row, "path", tsserver) : row;
  return native === undefined ? [classic] : [nativeServer(native), classic];
}

/** The nearest installed package, in the file's folder or above. */
async function projectTypescript(start: string): Promise<string | undefined> {
  for (let folder = start; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", "typescript");
    if (await exists(join(found, "package.json"))) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

async function isNative(typescript: string): Promise<boolean> {
  const manifest = await readBounded(join(typescript, "package.json"), MAX_MANIFEST_BYTES).catch(() => undefined);
  const major = Number(/"version"\s*:\s*"(\d+)\./.exec(manifest ?? "")?.[1]);
  if (major >= 7) return true;
  return (await exists(join(typescript, "lib", "getExePath.js"))) || !(await exists(join(typescript, "lib", "tsserver.js")));
}

async function shim(typescript: string): Promise<string | undefined> {
  return findProgram(join(typescript, "..", ".bin", process.platform === "win32" ? "tsc.cmd" : "tsc"));
}

/** `tsc` on the PATH, when it is that of TypeScript 7. */
async function installedNative(): Promise<string | undefined> {
  const program = await findProgram("tsc");
  if (program === undefined) return undefined;
  try {
    const manifest = createRequire(await realpath(program)).resolve("typescript/package.json");
    return (await isNative(dirname(manifest))) ? program : undefined;
  } catch {
    return undefined; // not of a package, so nothing is known about it
  }
}

/** `tsserver.js` of a TypeScript on the machine: the one that the server brings along, or that of `tsc` on the PATH. */
async function installedTypescript(row: ServerDefinition): Promise<string | undefined> {
  for (const command of [row.command, "tsc"]) {
    const program = await findProgram(command);
    if (program === undefined) continue;
    try {
      const manifest = createRequire(await realpath(program)).resolve("typescript/package.json");
      const tsserver = join(dirname(manifest), "lib", "tsserver.js");
      if (await exists(tsserver)) return tsserver;
    } catch {
      // This one brings none.
    }
  }
  return undefined;
}

/**
 * The servers where the project has no say: the classic one with a TypeScript of the machine, or `tsc` of TypeScript 7.
 * In strict mode the classic one must be given a path, since it would take the project's without.
 * @throws {LspFailure} in strict mode, when the machine has neither.
 */
async function installedServers(row: ServerDefinition, strict: boolean): Promise<ServerDefinition[]> {
  const classic = await findProgram(row.command);
  const tsserver = await installedTypescript(row);
  if (classic !== undefined && tsserver !== undefined) return [withTsserver(row, strict ? "path" : "fallbackPath", tsserver)];
  const native = await installedNative();
  if (native !== undefined) return [nativeServer(native), ...(strict ? [] : [row])];
  if (classic === undefined || !strict) return [row]; // what is missing is said later
  throw new LspFailure(
    `the security settings allow only a TypeScript that is installed beside ${row.command}, and there is none.\nInstall with: ${row.install}`,
  );
}

function withTsserver(row: ServerDefinition, setting: "path" | "fallbackPath", tsserver: string | undefined): ServerDefinition {
  if (tsserver === undefined) return row;
  const options = { ...row.options, tsserver: { ...(row.options?.["tsserver"] as object | undefined), [setting]: tsserver } };
  return { ...row, options };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
