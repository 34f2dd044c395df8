/**
 * On systems without file locks in the kernel, oh-my-claudecode changes some state files by a journal:
 * it moves the state aside, publishes a new one or none, and cleans up. When it dies in between, the
 * journal stays. It is settled before the file is changed again: what was published stands, what was
 * only moved aside comes back, a clearing that had begun is finished.
 */
import { rename, unlink } from "node:fs/promises";
import { basename } from "node:path";
import { readTextFile } from "../../lib/atomic-file.js";
import { goneAfterMs, type Owner } from "../../lib/process-owner.js";
import { StateError } from "./state-error.js";

interface Journal {
  owner: Owner | undefined;
  intent: unknown;
  phase: unknown;
  /** Only when it is the name that belongs to this file and transaction. */
  quarantine: string | undefined;
}

/**
 * Call under the file's lock.
 * @throws {StateError} while the journal's maker is alive.
 */
export async function settleJournal(path: string): Promise<void> {
  const journalPath = `${path}.emergency-journal.json`;
  const text = await readTextFile(journalPath, { maxBytes: 64 * 1024 }).catch(() => "");
  if (text === undefined) return;
  const journal = parseJournal(path, text);
  if (journal?.owner !== undefined && (await goneAfterMs(journal.owner)) === Infinity) {
    throw new StateError(`'${basename(path)}' is being recovered by process ${journal.owner.pid}; try again`);
  }
  if (journal?.quarantine !== undefined) await settleQuarantine(path, journal.quarantine, journal);
  await rename(journalPath, `${journalPath}.settled`);
  await unlink(`${journalPath}.settled`).catch(() => {});
}

async function settleQuarantine(path: string, quarantine: string, journal: Journal): Promise<void> {
  const payload = `${quarantine}.payload`;
  const present = (await readTextFile(path).catch(() => "")) !== undefined;
  if (!present) {
    const finishing = journal.intent === "clear" && journal.phase === "quarantined";
    if (!finishing && !(await moved(payload, path, isJson))) await moved(quarantine, path, () => true);
  }
  await Promise.all([quarantine, payload].map((file) => unlink(file).catch(() => {})));
}

/** Gives the file its place if it is there and good. */
async function moved(from: string, to: string, good: (text: string) => boolean): Promise<boolean> {
  const text = await readTextFile(from).catch(() => undefined);
  if (text === undefined || !good(text)) return false;
  await rename(from, to);
  return true;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseJournal(path: string, text: string): Journal | undefined {
  let body: Record<string, unknown> | null;
  try {
    body = JSON.parse(text) as Record<string, unknown> | null;
  } catch {
    return undefined;
  }
  if (typeof body !== "object" || body === null) return undefined;
  const expected = `${path}.emergency-quarantine.${String(body["transactionId"])}`;
  const named = typeof body["transactionId"] === "string" && /^[0-9a-fA-F-]+$/.test(body["transactionId"]);
  return {
    owner: parseOwner(body["owner"]),
    intent: body["intent"],
    phase: body["phase"],
    quarantine: named && body["quarantinePath"] === expected ? expected : undefined,
  };
}

function parseOwner(value: unknown): Owner | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { pid, processStart } = value as Record<string, unknown>;
  if (!Number.isSafeInteger(pid)) return undefined;
  return { pid: pid as number, processStart: typeof processStart === "string" ? processStart : undefined };
}
