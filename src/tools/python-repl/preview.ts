/** Long output, as much of it as a model should read: the beginning, the end, and where the rest is. */

import type { Stream } from "./bridge-results.js";

/** Shown of one stream, in bytes of UTF-8. */
const MAX_BYTES = 30_000;
const HEAD_BYTES = 20_000;
const TAIL_BYTES = 8_000;

/** The text, or its beginning and end with a line between them that says what is missing. Never cuts a character in two. */
export function preview({ text, bytes, file }: Omit<Stream, "truncated">): string {
  const whole = Buffer.from(text, "utf8");
  const all = Math.max(bytes, whole.length);
  if (whole.length <= MAX_BYTES && all <= whole.length) return text;
  const head = whole.length <= MAX_BYTES ? text : decoded(whole.subarray(0, HEAD_BYTES), "start");
  const tail = whole.length <= MAX_BYTES ? "" : decoded(whole.subarray(whole.length - TAIL_BYTES), "end");
  const left = all - Buffer.byteLength(head) - Buffer.byteLength(tail);
  const where = file === undefined ? "they are not kept" : `the whole output is in ${file}`;
  return `${head}\n[... ${left} of ${all} bytes left out; ${where} ...]\n${tail}`;
}

function decoded(bytes: Buffer, part: "start" | "end"): string {
  let [from, to] = [0, bytes.length];
  if (part === "end") while (from < Math.min(3, to) && isContinuation(bytes[from])) from++;
  else if (to > 0) {
    let lead = to - 1;
    while (lead > 0 && to - lead < 4 && isContinuation(bytes[lead])) lead--;
    if (to - lead < sequenceLength(bytes[lead] ?? 0)) to = lead;
  }
  return bytes.toString("utf8", from, to);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
