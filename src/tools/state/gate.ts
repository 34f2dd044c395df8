/** What state_clear does to merge-readiness gates: they are cancelled and kept, since they are a record of who decided what. */
import { parseSessionId, resolveGateSessionId } from "../../lib/session-id.js";
import type { Workspace } from "../../lib/workspace.js";
import { fail, ok, type ToolResult } from "../types.js";
import { cancelledGate, changeGate, gateSpots, isDamaged, setDamagedGateAside } from "./gate-file.js";
import { objectOf, own, ownerOf, surveyState } from "./state-file.js";

/** A session, or undefined for the gate that is nobody's. */
type Owner = string | undefined;

interface Outcome {
  cancelled: boolean;
  setAside: boolean;
}

/**
 * Cancels the gate of the session given; without one, the gate that the merge_readiness tools would use, and the
 * session-less one. A gate that cannot be read any more is moved aside.
 */
export async function cancelGates(ws: Workspace, given: string | undefined, signal: AbortSignal): Promise<ToolResult> {
  const session = parseSessionId(given);
  const done: string[] = [];
  const aside: string[] = [];
  const failed: string[] = [];
  for (const owner of session === undefined ? new Set([callersGateSession(), undefined]) : [session]) {
    const name = owner ?? "legacy";
    try {
      const { cancelled, setAside } = await cancelGate(ws, owner, signal);
      if (setAside) aside.push(name);
      else if (cancelled) done.push(name);
    } catch {
      failed.push(name);
    }
  }
  const lines: string[] = [];
  if (done.length > 0) lines.push(`Cancelled merge-readiness gate(s) with durable state audit records: ${done.join(", ")}`);
  if (aside.length > 0) lines.push(`Corrupt merge-readiness gate(s) moved aside: ${aside.join(", ")}`);
  if (failed.length > 0) return fail([...lines, `Cancelling merge-readiness gate(s) FAILED for: ${failed.join(", ")}`].join("\n"));
  if (lines.length > 0) return ok(lines.join("\n"));
  const where = session === undefined ? "" : ` in session: ${session}`;
  return ok(`No active merge-readiness gate found${where}; nothing was changed.`);
}

/** The session whose gate is meant when a call names none; undefined also when the environment's cannot be used. */
export function callersGateSession(): Owner {
  try {
    return resolveGateSessionId(undefined);
  } catch {
    return undefined;
  }
}

async function cancelGate(ws: Workspace, session: Owner, signal: AbortSignal): Promise<Outcome> {
  const nothing = { cancelled: false, setAside: false };
  const found = await Promise.all((await gateSpots(ws, session)).map(async (spot) => ({ spot, loaded: await surveyState(spot.path) })));
  const first = found.find(({ loaded }) => loaded.kind !== "absent");
  if (first === undefined) return nothing;
  if (isDamaged(first.loaded)) return { ...nothing, setAside: await setDamagedGateAside(first.spot, signal) };
  const owner = ownerOf(first.loaded);
  if (owner !== undefined && owner !== session) return nothing;
  if (own(objectOf(first.loaded), "active") !== true) return nothing;
  const cancelled = await changeGate(ws, session, signal, (gate) =>
    gate === undefined || own(gate, "active") !== true ? { result: false } : { next: cancelledGate(gate, session), result: true },
  );
  return { cancelled, setAside: false };
}
