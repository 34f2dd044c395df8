/**
 * Cancel signals: the Stop hook of oh-my-claudecode lets a session end when it finds a fresh one beside
 * the state it would otherwise enforce. It ignores a signal that names a state digest, unless the mode
 * is autopilot, so only autopilot's names one.
 */
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { sweepLeftovers, writeFileAtomic } from "../../lib/atomic-file.js";
import type { Mode } from "./modes.js";
import { isNamedRun } from "./named-autopilot.js";
import { type Loaded, loadState, objectOf, own, stateDigest } from "./state-file.js";

const SIGNAL = "cancel-signal-state.json";
const VALID_MS = 30_000;

/** Puts a signal into a folder that exists. `target` is the state about to be cleared, if it is known. */
export async function writeSignal(dir: string, mode: Mode, target: Loaded | undefined): Promise<void> {
  const now = Date.now();
  const signal: Record<string, unknown> = {
    active: true,
    requested_at: new Date(now).toISOString(),
    expires_at: new Date(now + VALID_MS).toISOString(),
    mode,
    source: "state_clear",
  };
  if (mode === "autopilot" && target?.kind === "value") {
    if (isNamedRun(target.value)) return; // the runtime of a named run has its own way to stop it
    signal["target_state_sha256"] = stateDigest(target.value);
  }
  await writeFileAtomic(join(dir, SIGNAL), JSON.stringify(signal, null, 2));
}

/** Removes a signal that has had its time, and what killed processes left of writing one. */
export async function sweepSignal(dir: string): Promise<void> {
  await sweepLeftovers(dir, SIGNAL);
  const path = join(dir, SIGNAL);
  const expires = own(objectOf(await loadState(path).catch((): Loaded => ({ kind: "absent" }))), "expires_at");
  if (typeof expires === "string" && Date.parse(expires) < Date.now()) await unlink(path).catch(() => {});
}
