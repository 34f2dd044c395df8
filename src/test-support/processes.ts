/** Looking after processes by their ids. */

/** Whether a process runs; one that has ended and was not yet collected by its parent does not. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  if (process.platform !== "linux") return true;
  const { readFile } = await import("node:fs/promises");
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
