/**
 * A real server process for tests: the built bundle, over stdio, in a clean environment.
 *
 *     const project = await makeProject();
 *     const server = await startServer(project);
 *     const { text, isError } = await server.call("notepad_read", {});
 *
 * The bundle is `bridge/mcp-server.cjs`, made by `make`, or the file that OMC_TEST_BUNDLE names. A server started
 * in a test is ended, with all that it has started, when that test ends.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** Which generation of the protocol the test client speaks; `raw` sends nothing by itself. */
export type Generation = "legacy" | "modern" | "raw";

export interface StartOptions {
  /** The folder that the server is started in. */
  root: string;
  /** The complete environment, but for PATH and HOME, which are there anyway. */
  env?: Record<string, string>;
  home: string;
  /** Default: legacy. */
  generation?: Generation;
  /** Another file to run than the bundle. */
  bundle?: string;
  /** Arguments after the file. Default: none. */
  args?: readonly string[];
  /** How long one answer is waited for, in milliseconds. Default: 30000. */
  patienceMs?: number;
}

/** A JSON-RPC answer as it came. */
export interface Answer {
  jsonrpc: "2.0";
  id: string | number | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

export interface ToolAnswer {
  text: string;
  isError: boolean;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** How long a test waits for one answer, in milliseconds. */
const PATIENCE_MS = 30_000;
/** How long a server may take to end what it has started, in milliseconds; it gives itself five seconds. */
const END_WITHIN_MS = 10_000;

const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The file under test. @throws {Error} that says how to make it, when it is not there. */
export function bundlePath(): string {
  const path = process.env["OMC_TEST_BUNDLE"] ?? fileURLToPath(new URL("../../bridge/mcp-server.cjs", import.meta.url));
  if (!existsSync(path)) throw new Error(`${path} is missing: run make, or name a bundle in OMC_TEST_BUNDLE`);
  return path;
}

/** Starts a server and, unless `raw`, opens the conversation. */
export async function startServer(options: StartOptions): Promise<TestServer> {
  const server = new TestServer(options);
  onTestFinished(async () => {
    await server.end();
  });
  await server.open();
  return server;
}

export class TestServer {
  /** Lines on stdout that are not JSON-RPC messages; there should never be any. */
  readonly noise: string[] = [];
  /** Messages from the server that answer no request of ours. */
  readonly notifications: Record<string, unknown>[] = [];
  stderr = "";
  readonly exited: Promise<Exit>;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #generation: Generation;
  readonly #waiting = new Map<string | number | null, (answer: Answer) => void>();
  readonly #patienceMs: number;
  #lastId = 0;

  constructor({ root, home, env = {}, generation = "legacy", bundle = bundlePath(), args = [], patienceMs = PATIENCE_MS }: StartOptions) {
    this.#patienceMs = patienceMs;
    this.#generation = generation;
    const environment = { PATH: process.env["PATH"] ?? "", HOME: home, ...env };
    this.#process = spawn(process.execPath, [bundle, ...args], { cwd: root, env: environment });
    this.#process.stdin.on("error", () => {}); // the server may be gone
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    createInterface({ input: this.#process.stdout, crlfDelay: Infinity }).on("line", (line) => this.#receive(line));
    this.exited = new Promise((resolve) => {
      this.#process.on("close", (code, signal) => resolve({ code, signal }));
    });
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  /** The opening of the client's conversation. */
  async open(): Promise<void> {
    if (this.#generation === "raw") return;
    if (this.#generation === "modern") {
      await this.request("server/discover");
      return;
    }
    await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    });
    this.notify("notifications/initialized");
  }

  /** Sends a request and waits for its answer, whether result or error. */
  request(method: string, params?: Record<string, unknown>, id: string | number = ++this.#lastId): Promise<Answer> {
    const sent = this.#generation === "modern" ? { ...params, _meta: MODERN_META } : params;
    const answer = this.#answerTo(id, method);
    this.send(JSON.stringify({ jsonrpc: "2.0", id, method, ...(sent !== undefined && { params: sent }) }));
    return answer;
  }

  /** Sends a line as it is, which must be a request with this id, and waits for its answer. */
  exchange(line: string, id: string | number): Promise<Answer> {
    const answer = this.#answerTo(id, "a line of the test");
    this.send(line);
    return answer;
  }

  /** Calls a tool. @throws {Error} when the answer is a protocol error or not of the shape that every call has. */
  async call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer> {
    const { result, error } = await this.request("tools/call", { name, ...(args !== undefined && { arguments: args }) });
    if (error !== undefined) throw new Error(`${name}: ${error.code} ${error.message}`);
    const { content, isError } = result as { content: { type: string; text: string }[]; isError: unknown };
    const [only] = content;
    if (content.length !== 1 || only?.type !== "text" || typeof isError !== "boolean") {
      throw new Error(`${name}: not one text and a boolean isError: ${JSON.stringify(result)}`);
    }
    return { text: only.text, isError };
  }

  notify(method: string, params?: Record<string, unknown>): void {
    this.send(JSON.stringify({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) }));
  }

  /** One line, as it is. */
  send(line: string): void {
    this.#process.stdin.write(`${line}\n`);
  }

  /** Ends the server as a client does that has lost interest, and waits for its end. */
  closeInput(): Promise<Exit> {
    this.#process.stdin.end();
    return this.exited;
  }

  /** Ends the server with all that it has started, so that nobody writes any more. One that does not go is killed. */
  async end(): Promise<Exit> {
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), END_WITHIN_MS);
    try {
      return await this.closeInput();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes our end of the server's output, as a client that has crashed. */
  stopReading(): void {
    this.#process.stdout.destroy();
  }

  kill(signal: NodeJS.Signals): Promise<Exit> {
    this.#process.kill(signal);
    return this.exited;
  }

  #answerTo(id: string | number, method: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const give = (why: string) => reject(new Error(`no answer to ${method} (id ${id}): ${why}\n${this.stderr}`));
      const timer = setTimeout(() => give(`waited ${this.#patienceMs} ms`), this.#patienceMs);
      void this.exited.then(({ code, signal }) => {
        clearTimeout(timer);
        give(`the server ended with ${code ?? signal}`);
      });
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
    });
  }

  #receive(line: string): void {
    let message: Answer & { method?: string };
    try {
      message = JSON.parse(line);
    } catch {
      this.noise.push(line);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if (message.method === undefined && waiting !== undefined) {
      this.#waiting.delete(message.id);
      waiting(message);
    } else {
      this.notifications.push({ ...message });
    }
  }
}
