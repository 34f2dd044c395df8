/** Whether a record is a match: it belongs to the scope, session and time asked for, and one of its texts has the query. */
import { isAscii } from "./folding.js";
import type { Line } from "./lines.js";
import type { Query } from "./query.js";
import { type Envelope, envelopeOf, isObject, type JsonObject, textsOf } from "./records.js";
import { concerns, type Scope } from "./scope.js";
import type { Source } from "./sources.js";
import { timeStated } from "./time.js";

/** What is asked for. */
export interface Judge {
  query: Query;
  scope: Scope;
  session: string | undefined;
  /** In milliseconds since 1970. */
  since: number | undefined;
}

export interface Verdict {
  /** In milliseconds since 1970; 0 when the record does not tell, or not in a way that can be understood. */
  time: number;
  /** Which record of a line it is; lines of transcripts have one. */
  index: number;
}

/** The verdict on a line of JSON, or undefined when it is no match, or no record. */
export function judgeLine(line: Line, source: Source, judge: Judge): Verdict | undefined {
  // Decoding takes as long as parsing, and folding too. Most matches show in the bytes already.
  const known = judgeBytes(line, source, judge);
  if (known !== undefined) return known === "none" ? undefined : known;
  const record = parse(line.decode());
  return isObject(record) ? judgeRecord(record, 0, source, judge) : undefined;
}

/** The verdicts on a JSON text that is one record or a list of them; undefined when it is no JSON. */
export function judgeRecords(text: string, source: Source, judge: Judge): Verdict[] | undefined {
  const value = parse(text);
  if (value === undefined) return undefined;
  return recordsIn(value).flatMap((record, index) => judgeRecord(record, index, source, judge) ?? []);
}

/** The records in a value that was read. */
export function recordsIn(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}

/** The value of a JSON text; undefined when it is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The text of a record that has the query, with its envelope, if it is a match. */
export function matchIn(record: JsonObject, source: Source, judge: Judge): { envelope: Envelope; text: string } | undefined {
  const envelope = envelopeOf(record, source);
  if (!isWanted(envelope, source, judge)) return undefined;
  const text = textsOf(record, source).find(judge.query.matches);
  return text === undefined ? undefined : { envelope, text };
}

function judgeRecord(record: JsonObject, index: number, source: Source, judge: Judge): Verdict | undefined {
  const match = matchIn(record, source, judge);
  return match === undefined ? undefined : { time: timeOf(match.envelope), index };
}

/**
 * The verdict on a line whose bytes were read as Latin-1. Undefined when only the decoded line can tell.
 */
function judgeBytes({ text, ascii }: Line, source: Source, judge: Judge): Verdict | "none" | undefined {
  const record = parse(text);
  if (!isObject(record)) return "none";
  const envelope = envelopeOf(record, source);
  const { session, cwd, timestamp } = envelope;
  if (!ascii && ![session, cwd, timestamp].every((value) => value === undefined || isAscii(value))) return undefined;
  if (!isWanted(envelope, source, judge)) return "none";
  if (textsOf(record, source).some(judge.query.surelyMatches)) return { time: timeOf(envelope), index: 0 };
  // Bytes that are all ASCII, without escapes of other characters, leave nothing to fold but case.
  return ascii && !text.includes("\\u") ? "none" : undefined;
}

function isWanted(envelope: Envelope, source: Source, { scope, session, since }: Judge): boolean {
  if (envelope.session === undefined) return false;
  if (session !== undefined && envelope.session !== session) return false;
  if (since !== undefined && (timeOf(envelope) || source.modified) < since) return false;
  return concerns(scope, envelope.cwd, source.folder);
}

function timeOf({ timestamp }: Envelope): number {
  return timestamp === undefined ? 0 : timeStated(timestamp);
}
