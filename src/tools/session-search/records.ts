/**
 * The records of sessions: who wrote them, when and where, and the texts in them that are searched.
 *
 *     transcript line      {"type":"user","sessionId":"…","cwd":"…","timestamp":"…","message":{"role":"user","content":…}}
 *     session summary      {"session_id":"…","ended_at":"…","reason":"…",…}
 *     line of a replay     {"t":0.4,"agent":"…","event":"…",…}
 */
import type { Source } from "./sources.js";

export type JsonObject = Record<string, unknown>;

export interface Envelope {
  session: string | undefined;
  cwd: string | undefined;
  /** As written. */
  timestamp: string | undefined;
  agent: string | undefined;
  role: string | undefined;
  entryType: string | undefined;
}

/** No more strings than this are taken from one tool call, summary or event. */
const MAX_LEAVES = 10_000;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function envelopeOf(record: JsonObject, source: Source): Envelope {
  const message = isObject(record["message"]) ? record["message"] : {};
  const session = text(record["sessionId"]) ?? text(record["session_id"]) ?? text(message["sessionId"]) ?? source.session;
  const cwd = text(record["cwd"]) ?? source.root;
  const agent = text(record["agentId"]) ?? text(record["agent_id"]);
  if (source.type === "omc-session-summary") {
    const timestamp = text(record["timestamp"]) ?? text(record["ended_at"]) ?? text(record["started_at"]);
    return { session, cwd, timestamp, agent, role: undefined, entryType: "session-summary" };
  }
  const timestamp = text(record["timestamp"]);
  if (source.type === "omc-session-replay") return { session, cwd, timestamp, agent, role: undefined, entryType: "session-replay" };
  const entryType = text(record["type"]);
  const speaks = entryType === "user" || entryType === "assistant";
  return { session, cwd, timestamp, agent, role: text(message["role"]) ?? (speaks ? entryType : undefined), entryType };
}

/** The texts of a record, each of which is searched by itself, in their order. */
export function textsOf(record: JsonObject, source: Source): string[] {
  if (source.type === "omc-session-summary" || source.type === "omc-session-replay") return leaves(record);
  const texts: string[] = [];
  const message = record["message"];
  if (isObject(message)) addContent(texts, message["content"]);
  addContent(texts, record["content"]);
  for (const field of ["summary", "customTitle", "aiTitle"]) add(texts, record[field]);
  if (typeof record["tool_name"] === "string") {
    add(texts, [record["tool_name"], ...leaves(record["tool_input"])].join(" "));
    add(texts, leaves(record["tool_output"]).join(" "));
  }
  return texts;
}

function addContent(texts: string[], content: unknown): void {
  if (typeof content === "string") add(texts, content);
  if (!Array.isArray(content)) return;
  for (const block of content) {
    if (typeof block === "string") add(texts, block);
    if (isObject(block)) addBlock(texts, block);
  }
}

function addBlock(texts: string[], block: JsonObject): void {
  switch (block["type"]) {
    case "tool_use":
    case "server_tool_use":
      add(texts, [text(block["name"]) ?? "", ...leaves(block["input"])].join(" "));
      break;
    case "tool_result":
      add(texts, leaves(block["content"]).join(" "));
      break;
    case "image":
      break;
    default:
      add(texts, block["text"]);
      add(texts, block["thinking"]);
      add(texts, block["reasoning"]);
  }
}

function add(texts: string[], value: unknown): void {
  if (typeof value === "string" && value !== "") texts.push(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The strings in a value, in their order; pictures and the kinds of blocks are no texts. */
function leaves(value: unknown): string[] {
  const found: string[] = [];
  const open = [value];
  while (open.length > 0 && found.length < MAX_LEAVES) {
    const next = open.pop();
    if (typeof next === "string") found.push(next);
    else if (Array.isArray(next)) open.push(...next.slice(0, MAX_LEAVES).toReversed());
    else if (isObject(next)) open.push(...inner(next).slice(0, MAX_LEAVES).toReversed());
  }
  return found;
}

function inner(value: JsonObject): unknown[] {
  if (value["type"] === "text" && typeof value["text"] === "string") return [value["text"]];
  return value["type"] === "image" ? [] : Object.values(value);
}
