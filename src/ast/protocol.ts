/** What the server and the engine say to each other: one request, one answer, as JSON over the channel between them. */
import type { Language } from "./languages.js";

export interface Selection {
  pattern: string;
  language: Language;
  /** Real, absolute path of a file or folder. */
  path: string;
}

export interface SearchRequest extends Selection {
  kind: "search";
  /** Lines before and after a match. */
  context: number;
  maxResults: number;
}

export interface ReplaceRequest extends Selection {
  kind: "replace";
  replacement: string;
}

export type EngineRequest = SearchRequest | ReplaceRequest;

/** What was looked at. */
export interface Scan {
  /** Files that were read and searched. */
  scanned: number;
  /** Of these, files with a match. */
  matched: number;
  /** Files that were left out, by reason. */
  tooBig: number;
  notText: number;
  unreadable: number;
  /** Why not everything was looked at; undefined when it was. */
  stopped?: "files" | "time" | "results" | "size" | undefined;
}

export interface Line {
  /** From 1. Undefined for a line that stands for others left out. */
  number?: number | undefined;
  text: string;
  /** Whether the match is on it. */
  hit: boolean;
}

export interface Match {
  file: string;
  /** From 1. */
  line: number;
  lines: Line[];
}

export interface SearchOutcome {
  kind: "search";
  scan: Scan;
  matches: Match[];
  /** The pattern has parts that do not parse. */
  unclean: boolean;
}

/** Offsets count UTF-16 units of the text without its byte order mark. */
export interface Edit {
  start: number;
  end: number;
  text: string;
  /** From 1. */
  line: number;
  before: string;
}

export interface FileEdits {
  file: string;
  /** SHA-256 of the file's bytes as they were matched, hexadecimal. */
  digest: string;
  /** In the order of the file, none overlapping. */
  edits: Edit[];
}

export interface ReplaceOutcome {
  kind: "replace";
  scan: Scan;
  files: FileEdits[];
  /** Matches inside other matches, which were left alone. */
  nested: number;
  unclean: boolean;
}

/** Nothing was searched. */
export interface Refusal {
  kind: "unavailable" | "unsupported" | "invalid";
  /** For the caller, without paths of the machine. */
  reason: string;
}

export type EngineOutcome = SearchOutcome | ReplaceOutcome | Refusal;

/** A file has at most this many bytes. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024;
