/** Programs and all that they start, as one: for those that were started `detached`, and so lead a group of their own. */
import { type ChildProcess, spawn } from "node:child_process";

/** Sends a signal to the program and what it started. On Windows, which has no signals, all of them are ended. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return; // it could not be started
  if (process.platform === "win32") {
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true }).on("error", () => {});
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in the group.
  }
}
