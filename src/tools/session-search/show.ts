/** Reads the best matches again, and tells them. */
import { cut } from "../../lib/cut.js";
import { excerptOf } from "./excerpt.js";
import { type Judge, matchIn, parse, recordsIn } from "./judge.js";
import { openFile } from "./lines.js";
import type { Envelope } from "./records.js";
import { transcriptFolder } from "./scope.js";
import type { Hit } from "./search.js";
import { nextTurn } from "./turns.js";

/** A result as it is answered. */
export interface Shown {
  sessionId: string;
  agentId?: string;
  timestamp?: string;
  projectPath?: string;
  sourcePath: string;
  sourceType: string;
  line: number;
  role?: string;
  entryType?: string;
  excerpt: string;
}

/** In their order. One that is no longer where it was is left out. */
export async function show(hits: readonly Hit[], judge: Judge, context: number, signal: AbortSignal): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const hit of hits) {
    signal.throwIfAborted();
    const line = await reread(hit);
    await nextTurn();
    const record = recordsIn(parse(line))[hit.index];
    const match = record === undefined ? undefined : matchIn(record, hit.source, judge);
    if (match !== undefined) shown.push(described(hit, match.envelope, judge, excerptOf(match.text, judge.query, context)));
  }
  return shown;
}

async function reread({ source, offset, length }: Hit): Promise<string> {
  const file = await openFile(source.path, source.follow).catch(() => undefined);
  if (file === undefined) return "";
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

function described(hit: Hit, envelope: Envelope, { scope }: Judge, excerpt: string): Shown {
  const { session = "", cwd, timestamp, agent, role, entryType } = envelope;
  const project = cwd ?? scope.roots.find((root) => hit.source.folder === transcriptFolder(root));
  return {
    sessionId: cut(session),
    ...(agent !== undefined && { agentId: cut(agent) }),
    ...(timestamp !== undefined && { timestamp: cut(timestamp) }),
    ...(project !== undefined && { projectPath: cut(project) }),
    sourcePath: hit.source.path,
    sourceType: hit.source.type,
    line: hit.line,
    ...(role !== undefined && { role: cut(role) }),
    ...(entryType !== undefined && { entryType: cut(entryType) }),
    excerpt,
  };
}
