/**
 * Messages from a language server's stdout, in bounds. A server that floods its stdout is read no faster than its
 * messages are handled. A frame that is no JSON is passed over, and so is a little other text; a frame beyond the limit,
 * or much other text, makes the rest of the stream meaningless and is reported as an error.
 */
import { setImmediate } from "node:timers/promises";
import type { Readable } from "node:stream";
import { AbstractMessageReader, type DataCallback, type Disposable, type Message } from "vscode-jsonrpc/node";

/** Largest message, in bytes. */
export const MAX_FRAME_BYTES = 50 * 1024 * 1024;
/** Largest header, in bytes. */
const MAX_HEADER_BYTES = 8 * 1024;

const HEADER_END = Buffer.from("\r\n\r\n");

export class FrameReader extends AbstractMessageReader {
  readonly #stream: Readable;
  readonly #heard: () => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Length of the body that is being received; undefined while a header is. */
  #expected: number | undefined;
  #broken = false;
  /** Bytes of headers that said no length. */
  #rubbish = 0;

  /** @param heard called for each whole frame. */
  constructor(stream: Readable, heard: () => void) {
    super();
    this.#stream = stream;
    this.#heard = heard;
  }

  override listen(callback: DataCallback): Disposable {
    const read = this.#read(callback).catch((error: unknown) => this.#fail(String(error)));
    void read.finally(() => this.fireClose());
    return { dispose: () => this.#stream.destroy() };
  }

  async #read(callback: DataCallback): Promise<void> {
    for await (const chunk of this.#stream as AsyncIterable<Buffer>) {
      if (this.#broken) continue; // keep the pipe empty until the process is ended
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      for (let body = this.#next(); body !== undefined; body = this.#next()) {
        this.#heard();
        deliver(body, callback);
        await setImmediate(); // other work, and the handling of this message, come first
      }
    }
  }

  /** The next whole body, or undefined when more has to arrive. */
  #next(): Buffer | undefined {
    if (this.#broken) return undefined;
    if (this.#expected === undefined && !this.#readHeader()) return undefined;
    const length = this.#expected ?? 0;
    if (this.#bytes < length) return undefined;
    this.#expected = undefined;
    return this.#take(length);
  }

  #readHeader(): boolean {
    const all = this.#joined();
    const end = all.indexOf(HEADER_END);
    if (end === -1 || end > MAX_HEADER_BYTES) {
      if (all.length > MAX_HEADER_BYTES) this.#fail("it wrote something other than protocol messages");
      return false;
    }
    // Some servers print a line or two before they speak the protocol.
    const length = /(?:^|\n)content-length:[ \t]*(\d+)[ \t]*(?:\r?\n|$)/i.exec(all.toString("latin1", 0, end))?.[1];
    if (length === undefined) {
      this.#rubbish += end;
      if (this.#rubbish > MAX_HEADER_BYTES) this.#fail("it wrote something other than protocol messages");
      else this.#take(end + HEADER_END.length);
      return this.#broken ? false : this.#readHeader();
    }
    if (Number(length) > MAX_FRAME_BYTES) this.#fail(`it wrote a message of ${length} bytes; ${MAX_FRAME_BYTES} are read`);
    if (this.#broken) return false;
    this.#take(end + HEADER_END.length);
    this.#expected = Number(length);
    return true;
  }

  #joined(): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #take(length: number): Buffer {
    const all = this.#joined();
    this.#chunks = [all.subarray(length)];
    this.#bytes -= length;
    return all.subarray(0, length);
  }

  #fail(why: string): void {
    this.#broken = true;
    this.#chunks = [];
    this.#bytes = 0;
    this.fireError(new Error(why));
  }
}

function deliver(body: Buffer, callback: DataCallback): void {
  try {
    const message: unknown = JSON.parse(body.toString("utf8"));
    if (typeof message === "object" && message !== null && !Array.isArray(message)) callback(message as Message);
  } catch {
    // Not JSON, or a cancellation without an id: nothing that anybody waits for.
  }
}
