/**
 * Ends language servers after this process was killed without a chance to do it. A shell waits at the end of a pipe that
 * closes when we are gone, whatever the reason; what is then still on its list is given a moment, and killed.
 */
import { type ChildProcess, spawn } from "node:child_process";

/** Reads `add ID` and `del ID`, of process groups, until its input ends. */
const SCRIPT = `
list=
while read -r what id; do
  case $what in
    add) list="$list $id" ;;
    del) kept=
      for one in $list; do [ "$one" = "$id" ] || kept="$kept $one"; done
      list=$kept ;;
  esac
done
[ -n "$list" ] || exit 0
sleep 2
for one in $list; do kill -s KILL -- "-$one" 2>/dev/null; done
`;

export class OrphanWatch {
  #shell: ChildProcess | undefined;
  #watched = 0;

  /** Puts a process group on the list. Without a shell, as on Windows, nothing is watched. */
  add(group: number): void {
    if (process.platform === "win32") return;
    this.#shell ??= start();
    this.#watched++;
    this.#tell(`add ${group}`);
  }

  /** Takes a group from the list; with the last one the shell ends. */
  remove(group: number): void {
    if (this.#shell === undefined) return;
    this.#tell(`del ${group}`);
    if (--this.#watched > 0) return;
    this.#shell.stdin?.end();
    this.#shell = undefined;
  }

  #tell(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }
}

function start(): ChildProcess {
  // In a session of its own, so that what kills our group does not kill it.
  const shell = spawn("/bin/sh", ["-c", SCRIPT], { cwd: "/", detached: true, stdio: ["pipe", "ignore", "ignore"] });
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  shell.unref();
  (shell.stdin as typeof shell.stdin & { unref?(): void }).unref?.();
  return shell;
}
