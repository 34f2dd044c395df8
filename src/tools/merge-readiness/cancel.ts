/** Calling a gate off. Its record stays. */
import type { Workspace } from "../../lib/workspace.js";
import { cancelledGate, changeGate } from "../state/gate-file.js";
import { own } from "../state/state-file.js";
import { fail, ok, type ToolResult } from "../types.js";
import { text } from "./gate-state.js";

export function cancelGate(ws: Workspace, session: string | undefined, signal: AbortSignal): Promise<ToolResult> {
  return changeGate(ws, session, signal, (gate) => {
    if (gate !== undefined && own(gate, "active") === true) {
      return { next: cancelledGate(gate, session), result: ok("Merge-readiness cancelled. Its state is kept as the record of the attempt.") };
    }
    const result = text(own(gate, "result"));
    if (result === "cancelled") return { result: ok("Merge-readiness was already cancelled; nothing was changed.") };
    const last = result === "" ? "" : `; the last attempt ended with ${result}`;
    return { result: fail(`Merge-readiness error: there is no active gate to be cancelled${last}.`) };
  });
}
