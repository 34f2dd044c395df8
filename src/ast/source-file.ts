/** A source file as text. Its byte order mark is kept apart, so that offsets count from the first letter. */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { MAX_FILE_BYTES } from "./protocol.js";

const MARK = "\uFEFF";

export interface SourceText {
  text: string;
  /** The byte order mark, or nothing. */
  mark: string;
}

/** The text, or undefined when the bytes are not UTF-8. */
export function decode(bytes: Uint8Array): SourceText | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith(MARK) ? { text: text.slice(MARK.length), mark: MARK } : { text, mark: "" };
  } catch {
    return undefined;
  }
}

/** What a file's content is known by. */
export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Why a file was left out, as `Scan` counts it. */
export type Unread = "tooBig" | "notText" | "unreadable";

/** Reads a regular file without following a link in the last place. Waits for the disk; for the engine only. */
export function readSource(path: string): { bytes: Uint8Array; text: string } | Unread {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return "unreadable";
  }
  try {
    const { size, isFile } = statOf(file);
    if (!isFile) return "unreadable";
    if (size > MAX_FILE_BYTES) return "tooBig";
    const bytes = readFileSync(file);
    const decoded = decode(bytes);
    return decoded === undefined ? "notText" : { bytes, text: decoded.text };
  } catch {
    return "unreadable";
  } finally {
    closeSync(file);
  }
}

function statOf(file: number): { size: number; isFile: boolean } {
  const found = fstatSync(file);
  return { size: found.size, isFile: found.isFile() };
}
