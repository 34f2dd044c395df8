/** The entry to language servers for the tools: everything else in this folder is behind it. */
import { uriOf } from "./uris.js";
import { chooseServer, servers } from "./choose-server.js";
import { findProgram, projectPrograms } from "./find-program.js";
import { HostedServer, Lease, SAME_PATHS } from "./hosted-server.js";
import { Pool } from "./pool.js";
import type { ServerStatus, Session } from "./session.js";
import { realFile } from "./source-file.js";

export { languageOf, supports } from "./choose-server.js";

const pool = new Pool();

export interface SessionOptions {
  /** Default true. False: the file only says which server and workspace are meant. */
  mustExist?: boolean;
}

/**
 * Calls `use` with a session of the language server for `file`, counted from the server's working directory, and the
 * file's real path. The server is started when it is not running and kept for the time of the call.
 * @throws {LspFailure} when the file is not there, no server knows it, or the server is missing or cannot be started.
 */
export async function withSession<T>(
  file: string,
  signal: AbortSignal | undefined,
  use: (session: Session, file: string) => Promise<T>,
  { mustExist = true }: SessionOptions = {},
): Promise<T> {
  const path = await realFile(file, mustExist);
  const { definition, root, program } = await chooseServer(path, file);
  const key = [root, program, ...definition.args].join("\0");
  const place = { root, rootUri: uriOf(root), sharesProcesses: true };
  const launch = { program, args: definition.args, cwd: root };
  return pool.with(
    key,
    (ending) => HostedServer.start(definition, place, launch, SAME_PATHS, ending),
    signal,
    async (host) => {
      await host.refresh();
      const lease = new Lease(host);
      try {
        return await use(lease, path);
      } finally {
        await lease.end();
      }
    },
  );
}

/** All known servers in the registry's order, and whether they are installed for a project in the working directory. */
export async function serverStatus(): Promise<ServerStatus[]> {
  const here = process.cwd();
  const folders = projectPrograms(here, here);
  return Promise.all(
    servers().map(async ({ name, command, extensions, install }) => {
      const installed = (await findProgram(command, folders)) !== undefined;
      return { name, command, extensions, install, installed };
    }),
  );
}

/** Ends all language servers; takes two seconds at most. */
export async function endAllServers(): Promise<void> {
  await pool.endAll();
}
