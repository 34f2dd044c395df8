/**
 * Whether a language server is installed, and whether what is there works. A command on the PATH may be a stand-in that
 * only says what is missing, as rustup's are; those are asked for their version once.
 */
import { execFile } from "node:child_process";
import { basename } from "node:path";
import { serverMessage, withoutAdvice } from "./failure-text.js";
import { findProgram } from "./find-program.js";
import type { ServerDefinition } from "./registry.js";
import type { ServerStatus } from "./session.js";

const PROBE_MS = 3_000;
const PROBE_MAX_BYTES = 64 * 1024;
/** How long the answer of a probe counts, in milliseconds. */
const PROBE_COUNTS_MS = 60_000;

/** Program → why it failed when it was last started. */
const troubles = new Map<string, string>();
const probes = new Map<string, { at: number; trouble: Promise<string | undefined> }>();

/** Notes how a start of the program ends. */
export async function noting<T>(program: string, start: Promise<T>): Promise<T> {
  try {
    const started = await start;
    troubles.delete(program);
    return started;
  } catch (error) {
    troubles.set(program, withoutAdvice(error as Error));
    throw error;
  }
}

/** `folders`: where to look when the PATH does not have it. */
export async function statusOf(definition: ServerDefinition, folders: readonly string[]): Promise<ServerStatus> {
  const { name, command, extensions, install, probe } = definition;
  const program = await findProgram(command, folders);
  const trouble = program === undefined ? undefined : (troubles.get(program) ?? (probe && (await probed(program, probe))));
  const shown = definition.own === true ? command : basename(command);
  return { name, command: shown, extensions, install, installed: program !== undefined, ...(trouble !== undefined && { trouble }) };
}

function probed(program: string, args: readonly string[]): Promise<string | undefined> {
  const known = probes.get(program);
  if (known !== undefined && Date.now() - known.at < PROBE_COUNTS_MS) return known.trouble;
  const trouble = tryRun(program, args);
  probes.set(program, { at: Date.now(), trouble });
  return trouble;
}

function tryRun(program: string, args: readonly string[]): Promise<string | undefined> {
  const options = { timeout: PROBE_MS, maxBuffer: PROBE_MAX_BYTES, windowsHide: true, killSignal: "SIGKILL" as const };
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error, _stdout, stderr) => {
      // One that is slow may still work.
      if (error === null || error.killed === true) resolve(undefined);
      else resolve(serverMessage(stderr.split(/\n\s*\n/)[0] || error.message));
    });
  });
}
