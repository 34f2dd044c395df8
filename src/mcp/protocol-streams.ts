/**
 * The two streams of the protocol, kept apart from everything else in the process.
 *
 * Output: only protocol messages may reach stdout. `process.stdout` is made to mean stderr, and with it `console.log`,
 * so that no library can spoil a message.
 *
 * Input: the SDK's transport closes, and drops the answers of calls under way, as soon as stdin ends. It therefore
 * reads from a copy of stdin that does not end; the end itself is told to the shutdown, which gives calls a moment.
 */
import { Readable, type Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/** A stdio transport that also tells when it has closed, by whatever cause. */
export class ProtocolTransport extends StdioServerTransport {
  /** Called once, after closing. */
  closed: (() => void) | undefined;
  readonly #output: Writable;

  constructor(input: Readable, output: Writable) {
    super(input, output);
    this.#output = output;
  }

  /** Resolves when everything written so far has been taken by the reader, or never will be. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#output.write("", () => resolve());
    });
  }

  override async close(): Promise<void> {
    await super.close();
    const tell = this.closed;
    this.closed = undefined;
    tell?.();
  }
}

/** The transport over this process's stdin and stdout. Call once, before anything can print. */
export function protocolTransport(): ProtocolTransport {
  return new ProtocolTransport(endlessInput(process.stdin), takeStdout());
}

/** The real stdout; afterwards `process.stdout` is stderr. */
function takeStdout(): Writable {
  const { stdout } = process;
  stdout.setMaxListeners(0); // each answer that waits for a slow reader listens for its turn
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => process.stderr });
  return stdout;
}

function endlessInput(source: Readable): Readable {
  const input = new Readable({ read() {} });
  source.on("data", (chunk) => input.push(chunk));
  return input;
}
