/** What state_clear does to merge-readiness gates: they are cancelled and kept, since they are a record of who decided what. */
import { writeFileAtomic } from "../../lib/atomic-file.js";
import { parseSessionId, SessionIdError } from "../../lib/session-id.js";
import type { Workspace } from "../../lib/workspace.js";
import { fail, ok, type ToolResult } from "../types.js";
import { legacySpots, projectRoots, sessionSpot, type Spot } from "./places.js";
import { changeStateFile, loadState, objectOf, own, ownerOf } from "./state-file.js";

const MODE = "merge-readiness";

/** Cancels the session's gate; without a session, the gate of the session in the environment and the session-less one. */
export async function cancelGates(ws: Workspace, session: string | undefined, signal: AbortSignal): Promise<ToolResult> {
  const done: string[] = [];
  const failed: string[] = [];
  for (const spot of await gateSpots(ws, session)) {
    try {
      if (await cancelGate(spot, signal)) done.push(spot.session ?? "legacy");
    } catch {
      failed.push(spot.session ?? "legacy");
    }
  }
  const records = `Cancelled merge-readiness gate(s) with durable state audit records: ${done.join(", ")}`;
  if (failed.length > 0) {
    const problem = `Cancelling merge-readiness gate(s) FAILED for: ${failed.join(", ")}`;
    return fail(done.length > 0 ? `${records}\n${problem}` : problem);
  }
  if (done.length > 0) return ok(records);
  const where = session === undefined ? "" : ` in session: ${session}`;
  return ok(`No active merge-readiness gate found${where}; nothing was changed.`);
}

async function gateSpots(ws: Workspace, session: string | undefined): Promise<Spot[]> {
  const roots = projectRoots(ws);
  const caller = session ?? callersSession();
  const spots = caller === undefined ? [] : await Promise.all(roots.map((root) => sessionSpot(root, MODE, caller)));
  if (session === undefined) for (const root of roots) spots.push((await legacySpots(root, MODE))[0] as Spot);
  return spots;
}

function callersSession(): string | undefined {
  try {
    return parseSessionId(process.env["CLAUDE_SESSION_ID"] || process.env["OMC_SESSION_ID"]);
  } catch (error) {
    if (error instanceof SessionIdError) return undefined;
    throw error;
  }
}

async function cancelGate(spot: Spot, signal: AbortSignal): Promise<boolean> {
  if ((await loadState(spot.path)).kind === "absent") return false;
  return changeStateFile(spot.path, MODE, signal, async () => {
    const loaded = await loadState(spot.path);
    const gate = objectOf(loaded);
    if (loaded.kind !== "absent" && gate === undefined) throw new Error("the gate's state cannot be read");
    if (gate === undefined || own(gate, "active") !== true) return false;
    const owner = ownerOf(loaded);
    if (owner !== undefined && owner !== spot.session) return false;
    const now = new Date().toISOString();
    const cancelled = { active: false, phase: "complete", result: "cancelled", cancel_owner: spot.session ?? "legacy" };
    const next = { ...gate, ...cancelled, updated_at: now, completed_at: now };
    await writeFileAtomic(spot.path, JSON.stringify(next, null, 2));
    return true;
  });
}
