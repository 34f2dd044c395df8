/** Messages come out as they went in, however the bytes are cut; what is no message does no harm. */
import { once } from "node:events";
import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FrameReader } from "./frame-reader.js";

async function read(chunks: Iterable<Buffer>): Promise<{ messages: unknown[]; errors: string[] }> {
  const stream = new PassThrough();
  const reader = new FrameReader(stream, () => {});
  const [messages, errors]: [unknown[], string[]] = [[], []];
  const closed = new Promise<void>((resolve) => reader.onClose(() => resolve()));
  reader.onError((error) => errors.push(error.message));
  reader.listen((message) => messages.push(message));
  for (const chunk of chunks) if (!stream.write(chunk)) await once(stream, "drain");
  stream.end();
  await closed;
  return { messages, errors };
}

function frame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

function* cut(all: Buffer, size: number): Iterable<Buffer> {
  for (let start = 0; start < all.length; start += size) yield all.subarray(start, start + size);
}

test("any messages, cut anywhere", async () => {
  const messages = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(messages, fc.integer({ min: 1, max: 60 }), async (sent, size) => {
      const received = await read(cut(Buffer.concat(sent.map(frame)), size));
      expect(received.errors).toEqual([]);
      expect(received.messages).toEqual(sent.map((message) => JSON.parse(JSON.stringify(message))));
    }),
    { numRuns: 60 },
  );
});

test.each([
  ["another header first", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 8\r\n\r\n{\"a\":1}\n"],
  ["a line before", "Starting\nContent-Length: 7\r\n\r\n{\"a\":1}"],
  ["a header without a length before", "Hello: you\r\n\r\nContent-Length: 7\r\n\r\n{\"a\":1}"],
  ["a frame that is no JSON before", "Content-Length: 3\r\n\r\n{a}content-length:7\r\n\r\n{\"a\":1}"],
  ["a frame that is no object before", "Content-Length: 2\r\n\r\n[]Content-Length: 7\r\n\r\n{\"a\":1}"],
])("%s", async (_, text) => {
  expect(await read([Buffer.from(text)])).toEqual({ messages: [{ a: 1 }], errors: [] });
});

test.each([
  ["text without end", "x".repeat(100_000), "it wrote something other than protocol messages"],
  ["headers without end", "Hello: you\r\n\r\n".repeat(5_000), "it wrote something other than protocol messages"],
  ["a frame beyond the limit", `Content-Length: ${51 * 1024 * 1024}\r\n\r\n`, "it wrote a message of 53477376 bytes; 52428800 are read"],
])("%s ends the reading, and nothing is kept", async (_, text, error) => {
  const after = frame({ a: 1 });
  expect(await read([Buffer.from(text), after, after])).toEqual({ messages: [], errors: [error] });
});

test("a large message is read at once", async () => {
  const large = { text: "é".repeat(2_000_000) };
  expect((await read(cut(frame(large), 65_536))).messages).toEqual([large]);
});
