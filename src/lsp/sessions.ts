/** The entry to language servers for the tools: everything else in this folder is behind it. */
import { chooseServer, loadServers, servers, standIn } from "./choose-server.js";
import { securitySettings } from "../lib/tool-paths.js";
import { withoutAdvice } from "./failure-text.js";
import { projectPrograms } from "./find-program.js";
import { Lease } from "./hosted-server.js";
import { planFor } from "./launch.js";
import { Pool } from "./pool.js";
import type { ServerDefinition } from "./registry.js";
import type { ServerStatus, Session } from "./session.js";
import { noting, statusOf } from "./server-status.js";
import { realFile } from "./source-file.js";

export { languageOf, loadServers, supports } from "./choose-server.js";

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
  const choice = await chooseServer(path, file);
  const { key, start } = planFor(choice);
  const attempt = (isLast: boolean): Promise<{ answer: T } | undefined> =>
    pool.with(
      key,
      (ending) => noting(choice.program, start(ending)),
      signal,
      async (host, replace) => {
        if (!(await host.refresh()) && !isLast) {
          replace();
          return undefined;
        }
        const lease = new Lease(host);
        try {
          return { answer: await use(lease, path) };
        } finally {
          await lease.end();
        }
      },
    );
  const done = (await attempt(false)) ?? (await attempt(true));
  return (done as { answer: T }).answer;
}

/**
 * All known servers in the registry's order, and whether they are installed for a project in the working directory. In
 * place of one that is not, the one is listed that stands in for it.
 */
export async function serverStatus(): Promise<ServerStatus[]> {
  await loadServers();
  const here = process.cwd();
  const { strict } = await securitySettings();
  const folders = strict ? [] : projectPrograms(here, here);
  return Promise.all(servers().map((row) => statusHere(row, here, folders, strict)));
}

async function statusHere(row: ServerDefinition, here: string, folders: readonly string[], strict: boolean): Promise<ServerStatus> {
  try {
    return await statusOf(await standIn(row, here, folders, strict), folders);
  } catch (error) {
    return { ...(await statusOf(row, folders)), trouble: withoutAdvice(error as Error) };
  }
}

/** Ends all language servers; takes two seconds at most. */
export async function endAllServers(): Promise<void> {
  await pool.endAll();
}
