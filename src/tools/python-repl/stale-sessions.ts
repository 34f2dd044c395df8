/** Sessions whose bridge was killed so hard that it could not tidy up: their files go when this server first starts one. */
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readTextFile } from "../../lib/atomic-file.js";
import { withFileLock } from "../../lib/file-lock.js";
import { isAlive, parseMeta } from "./bridge-meta.js";
import type { Session } from "./session.js";

const MAX_LOOKED_AT = 1_000;
const SESSION_FOLDER = /^[0-9a-f]{12}$/;
const LEFT = /^(?:bridge\.sock|bridge\.port|bridge_meta\.json|tmp|output-std(?:out|err)-\d+\.txt)$/;

/** Looks at the folders beside the session's. Never rejects; a folder in use, or one that cannot be read, is left alone. */
export async function sweepStaleSessions(session: Session): Promise<void> {
  const runtime = dirname(session.folder);
  const names = await readdir(runtime).catch(() => []);
  const others = names.filter((name) => SESSION_FOLDER.test(name) && name !== basename(session.folder));
  for (const name of others.slice(0, MAX_LOOKED_AT)) await sweepOne(join(runtime, name)).catch(() => {});
}

async function sweepOne(folder: string): Promise<void> {
  if (!(await isStale(folder))) return;
  // Whoever starts a bridge holds this lock, so none can start between the look and the removal.
  await withFileLock(join(folder, "session"), { waitMs: 1, protocol: "session" }, async () => {
    if (!(await isStale(folder))) return;
    const left = (await readdir(folder)).filter((name) => LEFT.test(name));
    await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  });
}

/** Whether a bridge is on record that no longer runs. */
async function isStale(folder: string): Promise<boolean> {
  const text = await readTextFile(join(folder, "bridge_meta.json"), { maxBytes: 64 * 1024 });
  const meta = text === undefined ? undefined : parseMeta(text);
  return meta !== undefined && !(await isAlive(meta));
}
