/** Which bridge a session has, and whether it is the one that the caller has in mind. */
import { type BridgeMeta, readLiveMeta } from "./bridge-meta.js";
import { ownBridge } from "./bridge-process.js";
import type { Session } from "./session.js";

/** The bridge of the session, if one runs; a bridge of this server whatever its record says. */
export async function runningBridge(session: Session): Promise<BridgeMeta | undefined> {
  return ownBridge(session) ?? (await readLiveMeta(session));
}

/** A note when the caller names another folder than the one that the session works in. */
export function otherFolder({ projectDir: works }: BridgeMeta, wanted: string | undefined): string[] {
  if (wanted === undefined || works === undefined || works === wanted) return [];
  return [`this session works in ${works}; projectDir ${wanted} was not used. Reset with that projectDir, or take another session`];
}
