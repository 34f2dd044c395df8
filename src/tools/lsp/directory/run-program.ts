/**
 * Runs a program to its end, reading its output line by line. It has a process group of its own, which is ended whole
 * when time is over or the call is aborted, so that what the program started goes with it.
 */
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { signalGroup } from "../../../lib/process-group.js";

export interface Program {
  command: string;
  args: readonly string[];
  cwd: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Called for each line of either output, without its end. */
  onLine: (line: string) => void;
}

/** How the program ended: by itself with a code, or not, and then why. */
export type Outcome = { code: number } | { trouble: string };

/** Longer lines are cut, in characters. */
const MAX_LINE = 64 * 1024;
/** How long the output of a killed program is still waited for, in milliseconds. */
const LAST_WORDS_MS = 1_000;

export function runProgram({ command, args, cwd, timeoutMs, signal, onLine }: Program): Promise<Outcome> {
  if (signal.aborted) return Promise.resolve({ trouble: "the call was cancelled" });
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, detached: process.platform !== "win32", windowsHide: true, stdio: ["ignore", "pipe", "pipe"] });
    let trouble: string | undefined;
    const done = (outcome: Outcome): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(outcome);
    };
    const end = (why: string): void => {
      trouble ??= why;
      signalGroup(child, "SIGKILL");
      // Something that left the group may still hold the pipes.
      setTimeout(() => done({ trouble: why }), LAST_WORDS_MS).unref();
    };
    const onAbort = (): void => end("the call was cancelled");
    const timer = setTimeout(() => end(`it took longer than ${Math.round(timeoutMs / 1_000)} seconds`), timeoutMs);
    signal.addEventListener("abort", onAbort, { once: true });
    readLines(child.stdout, onLine);
    readLines(child.stderr, onLine);
    child.on("error", (error: NodeJS.ErrnoException) => done({ trouble: `it could not be started (${error.code ?? "unknown error"})` }));
    child.on("exit", () => signalGroup(child, "SIGKILL")); // what it left running
    child.on("close", (code, ended) => done(trouble !== undefined ? { trouble } : code === null ? { trouble: `it was ended by ${ended}` } : { code }));
  });
}

function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  stream.on("data", (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split(/\r?\n/);
    rest = (lines.pop() ?? "").slice(0, MAX_LINE);
    for (const line of lines) onLine(line.slice(0, MAX_LINE));
  });
  stream.on("end", () => {
    if (rest !== "") onLine(rest);
  });
}
