/** How a chosen language server is started: on this machine, or in the dev container of the workspace. */
import { delimiter } from "node:path";
import type { Choice } from "./choose-server.js";
import { pathFolders } from "./find-program.js";
import { HostedServer, type PathMap, SAME_PATHS } from "./hosted-server.js";
import type { Place } from "./language-server.js";
import type { Launch } from "./server-process.js";
import { LspFailure } from "./session.js";
import { uriOf } from "./uris.js";

export interface Plan {
  /** Servers with the same key are the same server. */
  key: string;
  start(ending: AbortSignal): Promise<HostedServer>;
}

export function planFor(choice: Choice): Plan {
  const { definition, root, program, container } = choice;
  const { args, options } = definition;
  const paths: PathMap = container ?? SAME_PATHS;
  const place: Place = { root, rootUri: container?.uriOf(root) ?? uriOf(root), sharesProcesses: container === undefined };
  const launch: Launch =
    container === undefined
      ? { program, args, cwd: root, env: environment() }
      : { program: container.docker, args: ["exec", "-i", "-w", container.folder, container.id, program, ...args], cwd: root };
  const start = (ending: AbortSignal): Promise<HostedServer> => HostedServer.start(definition, place, launch, paths, ending);
  return {
    key: JSON.stringify([root, program, args, options, container?.id ?? "host"]),
    start: (ending) => (container === undefined ? start(ending) : start(ending).catch((error: unknown) => notThere(choice, error))),
  };
}

/** Our own, but that no relative entry of the PATH leads a server, or the interpreter of its script, into the project. */
function environment(): NodeJS.ProcessEnv {
  return process.platform === "win32" ? process.env : { ...process.env, PATH: pathFolders().join(delimiter) };
}

/** Docker ends with these codes when the program is not in the container, or may not be run. */
function notThere({ program, definition }: Choice, error: unknown): never {
  const { message } = error as Error;
  if (/exited \(code 12[67]\)/.test(message)) {
    throw new LspFailure(`Language server '${program}' not found.\nInstall with: ${definition.install}, in the dev container`);
  }
  throw error;
}
