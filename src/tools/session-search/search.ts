/**
 * The search. Each file is read once, in pieces, the last changed first; of its lines only those are parsed that may
 * have a match. Of the matches only the places of the best are kept, and these are read again to be shown. So a search
 * needs a few megabytes, however much there is to search.
 */
import type { FileHandle } from "node:fs/promises";
import { cut } from "../../lib/cut.js";
import { parseSessionId } from "../../lib/session-id.js";
import { resolveWorkspace } from "../../lib/workspace.js";
import { Best } from "./best.js";
import { judgeLine, judgeRecords, type Judge, type Verdict } from "./judge.js";
import { type Line, MAX_LINE_BYTES, openFile, visitLines } from "./lines.js";
import { makePrefilter } from "./prefilter.js";
import { makeQuery } from "./query.js";
import { makeScope } from "./scope.js";
import { type Shown, show } from "./show.js";
import { parseSince } from "./since.js";
import { findSources, type Source } from "./sources.js";
import { nextTurn } from "./turns.js";

export interface SearchRequest {
  query: string;
  limit?: number | undefined;
  sessionId?: string | undefined;
  since?: string | undefined;
  project?: string | undefined;
  caseSensitive?: boolean | undefined;
  contextChars?: number | undefined;
  workingDirectory?: string | undefined;
}

export interface SearchAnswer {
  query: string;
  scope: { mode: string; project?: string; workingDirectory: string; since?: string; caseSensitive: boolean };
  searchedFiles: number;
  totalMatches: number;
  /** True when there are more files than are searched; not there otherwise. */
  moreFiles?: true;
  /** Lines over 8 MiB, which are not searched; not there when there are none. */
  skippedLines?: number;
  /** Files that could not be read; not there when there are none. */
  unreadableFiles?: number;
  results: Shown[];
}

/** A match, and where to find it again. */
export interface Hit extends Verdict {
  source: Source;
  line: number;
  /** In bytes. */
  offset: number;
  length: number;
}

/** Files read at once: while one is searched, the others wait for the disk. */
const LANES = 3;
/** A record may be written a little after the time it states, and clocks are set. */
const CLOCK_SLACK_MS = 3_600_000;

/** @throws {Error} with words for the caller, or when aborted. */
export async function searchSessions(request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer> {
  const { limit = 10, caseSensitive = false, contextChars = 120, workingDirectory } = request;
  const query = makeQuery(request.query, caseSensitive);
  const session = parseSessionId(request.sessionId);
  const since = parseSince(request.since, Date.now());
  const ws = await resolveWorkspace(workingDirectory);
  const scope = await makeScope(ws, workingDirectory, request.project);
  const { files, isCut } = await findSources(ws, scope, (since ?? -Infinity) - CLOCK_SLACK_MS, signal);
  const search = new Search({ query, scope, session, since }, makePrefilter(query), limit, signal);
  await search.run(files);
  const results = await show(search.best.items, search.judge, contextChars, signal);
  return {
    query: request.query,
    scope: {
      mode: scope.mode,
      ...(request.project ? { project: cut(request.project) } : {}),
      workingDirectory: ws.root,
      ...(request.since ? { since: cut(request.since) } : {}),
      caseSensitive,
    },
    searchedFiles: files.length,
    ...(isCut ? { moreFiles: true } : {}),
    totalMatches: search.matches,
    ...(search.skippedLines > 0 ? { skippedLines: search.skippedLines } : {}),
    ...(search.unreadableFiles > 0 ? { unreadableFiles: search.unreadableFiles } : {}),
    results,
  };
}

class Search {
  readonly best: Best<Hit>;
  matches = 0;
  skippedLines = 0;
  unreadableFiles = 0;

  constructor(
    readonly judge: Judge,
    private readonly prefilter: RegExp,
    limit: number,
    private readonly signal: AbortSignal,
  ) {
    this.best = new Best(limit, inOrder);
  }

  async run(sources: readonly Source[]): Promise<void> {
    const queue = sources.values();
    const lane = async () => {
      for (const source of queue) await this.#file(source);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  async #file(source: Source): Promise<void> {
    let file: FileHandle | undefined;
    try {
      file = await openFile(source.path, source.follow);
      if (file === undefined) return;
      if (source.path.endsWith(".json") && (await this.#document(source, file))) return;
      const skipped = await visitLines(file, this.prefilter, this.signal, (line) => this.#line(source, line));
      this.skippedLines += skipped; // not in one: other lanes count while this one waits
    } catch (error) {
      this.signal.throwIfAborted();
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      if (code !== "ENOENT") this.unreadableFiles++;
    } finally {
      await file?.close();
    }
  }

  /** A file that is one JSON value, over any number of lines. False when it is none, and may be a list of lines. */
  async #document(source: Source, file: FileHandle): Promise<boolean> {
    if (source.bytes > MAX_LINE_BYTES) return false;
    const text = await file.readFile("utf8");
    await nextTurn();
    const verdicts = judgeRecords(text, source, this.judge);
    for (const verdict of verdicts ?? []) this.#count(verdict, source, 1, 0, Buffer.byteLength(text));
    return verdicts !== undefined;
  }

  #line(source: Source, line: Line): void {
    const verdict = judgeLine(line, source, this.judge);
    if (verdict !== undefined) this.#count(verdict, source, line.number, line.offset, line.length);
  }

  // Spreading the verdict into the hit would take longer than all the rest of a search in which every line matches.
  #count({ time, index }: Verdict, source: Source, line: number, offset: number, length: number): void {
    this.matches++;
    this.best.offer({ time, index, source, line, offset, length });
  }
}

/** The newest first; those without a time last. */
function inOrder(a: Hit, b: Hit): number {
  if (a.time !== b.time) return b.time - a.time;
  if (a.source.path !== b.source.path) return a.source.path < b.source.path ? -1 : 1;
  return a.line - b.line || a.index - b.index;
}
