/** One request to a bridge: a line of JSON-RPC 2.0 there, a line back, on a connection of its own. */
import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import type { BridgeMeta } from "./bridge-meta.js";

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** No connection was made, so nothing was done. */
export class BridgeUnreachableError extends Error {
  override name = "BridgeUnreachableError";
}

/** The connection ended before the answer came; whether anything was done is unknown. */
export class BridgeLostError extends Error {
  override name = "BridgeLostError";
}

/** No answer in time. */
export class BridgeTimeoutError extends Error {
  override name = "BridgeTimeoutError";
}

/** The bridge answered with an error. */
export class BridgeRefusedError extends Error {
  override name = "BridgeRefusedError";
}

/**
 * Asks and returns the result.
 * @param waitMs the longest wait for the answer, connecting included
 * @throws {BridgeUnreachableError | BridgeLostError | BridgeTimeoutError | BridgeRefusedError}
 */
export function ask(
  bridge: Pick<BridgeMeta, "socketPath" | "token">,
  method: string,
  params: Record<string, unknown>,
  waitMs: number,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const id = randomUUID();
    const socket = open(bridge.socketPath);
    const timer = setTimeout(() => end(new BridgeTimeoutError(`no answer to ${method} within ${waitMs} ms`)), waitMs);
    let connected = false;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.on("connect", () => {
      connected = true;
      const token = bridge.token === undefined ? {} : { token: bridge.token };
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params, ...token })}\n`);
    });
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) return end(new BridgeLostError(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`));
      if (!chunk.includes(0x0a)) return;
      clearTimeout(timer);
      socket.destroy();
      try {
        resolve(resultOf(Buffer.concat(chunks), id));
      } catch (error) {
        reject(error instanceof BridgeRefusedError ? error : new BridgeLostError("the answer is not one to this request"));
      }
    });
    const lost = (why: string) => end(connected ? new BridgeLostError(why) : new BridgeUnreachableError(why));
    socket.on("error", (error: NodeJS.ErrnoException) => lost(error.code ?? "the connection failed"));
    socket.on("close", () => lost("the connection ended before the answer came"));
  });
}

function open(socketPath: string): Socket {
  const port = /^tcp:(\d+)$/.exec(socketPath)?.[1];
  return port === undefined ? connect(socketPath) : connect(Number(port), "127.0.0.1");
}

function resultOf(line: Buffer, id: string): unknown {
  const answer = JSON.parse(line.toString("utf8")) as { id?: unknown; result?: unknown; error?: { message?: unknown } } | null;
  if (answer?.error !== undefined) throw new BridgeRefusedError(String(answer.error.message));
  if (answer?.id !== id || answer.result === undefined) throw new Error("not an answer");
  return answer.result;
}
