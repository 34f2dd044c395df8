/**
 * The server `t` on stdio. Running this file starts it; it exports nothing.
 *
 * Both generations of the protocol are served on one connection: the handshake (`initialize`, up to 2025-11-25) and
 * the stateless 2026-07-28 (`server/discover`). The SDK decides by the first messages which one the client speaks.
 */
import "./interpreted-schemas.js";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Calls } from "./calls.js";
import { checkNames, createServer } from "./frame.js";
import { log } from "./log.js";
import { protocolTransport } from "./protocol-streams.js";
import { stopWhenTold } from "./shutdown.js";

function start(): void {
  checkNames();
  const calls = new Calls();
  const transport = protocolTransport();
  const report = onceEach((error) => log(`protocol: ${told(error)}`));
  const connection = serveStdio(() => createServer(calls, report), { transport, onerror: report });
  const stop = stopWhenTold({ calls, close: () => connection.close(), flush: () => transport.flush() });
  transport.closed = () => stop("a closed connection");
  surviveMistakes(stop);
  log("OMC Tools MCP Server running on stdio");
}

/** The SDK tells of a line that is no message by the list of all that it is not. */
function told({ message }: Error): string {
  return message.startsWith("[") ? "dropped a line that is no JSON-RPC message" : message;
}

/** The SDK tells some errors both to the connection and to the server on it. */
function onceEach(report: (error: Error) => void): (error: Error) => void {
  const told = new WeakSet<Error>();
  return (error) => {
    if (told.has(error)) return;
    told.add(error);
    report(error);
  };
}

/** A forgotten rejection must not take down the calls of others; after an uncaught throw nothing is sure, so we end. */
function surviveMistakes(stop: (reason: string, exitCode: number) => void): void {
  process.stderr.on("error", () => {}); // nobody reads the log any more
  process.on("unhandledRejection", (reason) => log(`unhandled rejection: ${described(reason)}`));
  process.on("uncaughtException", (error) => {
    log(`uncaught exception: ${described(error)}`);
    stop("an uncaught exception", 1);
  });
}

function described(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  start();
} catch (error) {
  log(`Failed to start server: ${described(error)}`);
  process.exit(1);
}
