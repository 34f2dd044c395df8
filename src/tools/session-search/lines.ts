/**
 * The lines of a file that a prefilter lets through, one after the other, with memory for one piece of the file only.
 * The last line counts also without a line break; one that is torn will not parse, and that is the reader's business.
 */
import { isAscii as holdsAscii } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { isAscii } from "./folding.js";
import { nextTurn, turnIsOver } from "./turns.js";

const PIECE_BYTES = 512 * 1024;
/** Texts of this length are made and thrown away much faster than longer ones. */
const SLICE_BYTES = 64 * 1024;
/** Longer lines are not searched: parsing one would hold up everything else. In bytes. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
const LINE_BREAK = 10;

/** A line that may have a match. */
export interface Line {
  /** Counted from 1. */
  number: number;
  /** Where it is in the file, in bytes. */
  offset: number;
  length: number;
  /** Its bytes read as Latin-1. */
  text: string;
  /** Whether they are all ASCII. */
  ascii: boolean;
  /** Decoded. */
  decode(): string;
}

/** Opens a regular file; undefined when it is none, or gone. `follow` says whether it may be a link. */
export async function openFile(path: string, follow: boolean): Promise<FileHandle | undefined> {
  // Non-blocking, because opening a pipe would wait for its other end.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (follow ? 0 : (constants.O_NOFOLLOW ?? 0));
  const file = await open(path, flags);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/**
 * Calls `visit` for the lines of a file that may have a match. Returns how many lines were too long to be looked at.
 * @throws {Error} of the file system, or the reason of the signal.
 */
export async function visitLines(
  file: FileHandle,
  prefilter: RegExp,
  signal: AbortSignal,
  visit: (line: Line) => void,
): Promise<number> {
  const { size } = await file.stat();
  let piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1));
  let [offset, filled, number, tooLong] = [await byteOrderMark(file), 0, 1, 0];
  let skipping = false;
  for (;;) {
    signal.throwIfAborted();
    const wanted = Math.min(piece.length - filled, size - offset - filled);
    const { bytesRead } = wanted > 0 ? await file.read(piece, filled, wanted, offset + filled) : { bytesRead: 0 };
    filled += bytesRead;
    const atEnd = bytesRead === 0;
    let from = 0;
    if (skipping) {
      from = piece.subarray(0, filled).indexOf(LINE_BREAK) + 1;
      skipping = from === 0;
      if (!skipping) number++;
    }
    const end = skipping ? filled : atEnd ? filled : piece.subarray(0, filled).lastIndexOf(LINE_BREAK) + 1;
    if (!skipping && end > from) number += await visitPiece({ bytes: piece.subarray(from, end), offset: offset + from, number }, prefilter, signal, visit);
    if (atEnd) return tooLong;
    if (end === 0 && filled === piece.length) {
      if (filled < MAX_LINE_BYTES) {
        piece = Buffer.concat([piece], Math.min(MAX_LINE_BYTES, filled * 4));
        continue;
      }
      skipping = true;
      tooLong++;
    }
    const done = skipping ? filled : end;
    piece.copyWithin(0, done, filled);
    offset += done;
    filled -= done;
  }
}

interface Piece {
  /** Whole lines. */
  bytes: Buffer;
  /** Of the first byte in the file. */
  offset: number;
  /** Of the first line. */
  number: number;
}

/** Visits the lines of a piece, and returns how many line breaks it has. */
async function visitPiece(piece: Piece, prefilter: RegExp, signal: AbortSignal, visit: (line: Line) => void): Promise<number> {
  const { bytes, offset } = piece;
  let number = piece.number;
  await nextTurn();
  for (let at = 0; at < bytes.length; ) {
    const end = sliceEnd(bytes, at);
    const slice = { bytes: bytes.subarray(at, end), offset: offset + at, number };
    const candidates = candidatesIn(slice, prefilter);
    for (let next = candidates.next(); ; next = candidates.next()) {
      if (turnIsOver()) {
        await nextTurn();
        signal.throwIfAborted();
      }
      if (next.done) {
        number = next.value;
        break;
      }
      visit(next.value);
    }
    at = end;
  }
  return number - piece.number;
}

/** The end of the last line that fits into a slice, or of the first line when none does. */
function sliceEnd(bytes: Buffer, at: number): number {
  if (bytes.length - at <= SLICE_BYTES) return bytes.length;
  const fitting = bytes.lastIndexOf(LINE_BREAK, at + SLICE_BYTES - 1) + 1;
  if (fitting > at) return fitting;
  const next = bytes.indexOf(LINE_BREAK, at + SLICE_BYTES) + 1;
  return next === 0 ? bytes.length : next;
}

/** Yields the candidates of a slice; returns the number of the line after it. */
function* candidatesIn(slice: Piece, prefilter: RegExp): Generator<Line, number> {
  const { bytes, offset } = slice;
  const text = bytes.toString("latin1");
  const isPlain = holdsAscii(bytes);
  let { number } = slice;
  let start = 0;
  let end = endOfLine(text, start);
  // Others use the same expression while this one is suspended, so where to go on is set each time.
  for (prefilter.lastIndex = 0; prefilter.test(text); prefilter.lastIndex = start) {
    const hit = prefilter.lastIndex - 1;
    for (; end < hit; end = endOfLine(text, start)) {
      start = end + 1;
      number++;
    }
    const [from, to] = [start, end];
    const line = text.slice(from, to);
    const ascii = isPlain || isAscii(line);
    yield { number, offset: offset + from, length: to - from, text: line, ascii, decode: () => bytes.toString("utf8", from, to) };
    if (end === text.length) return number;
    start = end + 1;
    number++;
    end = endOfLine(text, start);
  }
  for (let at = text.indexOf("\n", start); at >= 0; at = text.indexOf("\n", at + 1)) number++;
  return number;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** The length of the mark that some editors put before UTF-8. */
async function byteOrderMark(file: FileHandle): Promise<number> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(3), 0, 3, 0);
  return bytesRead === 3 && buffer.equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
}
