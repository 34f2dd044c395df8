/** Looking after processes by their ids. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** The processes that a process started, and those that they started, as far as their parents still run. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-e", "-o", "pid=,ppid="]);
  const parents = new Map(stdout.trim().split("\n").map((line) => line.trim().split(/\s+/).map(Number) as [number, number]));
  const found = [pid];
  for (const each of found) for (const [child, parent] of parents) if (parent === each) found.push(child);
  return found.slice(1);
}

/** Whether a process runs; one that has ended and was not yet collected by its parent does not. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  if (process.platform !== "linux") return true;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) [ZX] /.test(stat);
}

/** @throws {Error} naming the processes that still run after that many milliseconds. */
export async function waitUntilGone(pids: readonly number[], milliseconds: number): Promise<void> {
  const until = Date.now() + milliseconds;
  for (;;) {
    const left: number[] = [];
    for (const pid of pids) if (await isRunning(pid)) left.push(pid);
    if (left.length === 0) return;
    if (Date.now() > until) throw new Error(`processes ${left.join(", ")} still run`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
