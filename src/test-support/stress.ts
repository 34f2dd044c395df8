/** Two hard tests for any tool that writes: many servers at once, and servers killed in the middle of their work. */
import { type StartOptions, startServer, type TestServer } from "./server.js";

/** A call that took less than this, in milliseconds, did not wait for a lock: that takes ten seconds and more. */
export const UNBLOCKED_MS = 7_500;

/** One write of a tool, told apart by its number. */
export type Write = (server: TestServer, number: number) => Promise<{ isError: boolean; text: string }>;

/**
 * Lets `servers` processes write `each` times at once, all numbers different, and returns the numbers whose write
 * reported success and the texts of those that did not.
 */
export async function writeFromMany(
  options: StartOptions,
  { servers, each }: { servers: number; each: number },
  write: Write,
): Promise<{ written: number[]; failures: string[] }> {
  const processes = await Promise.all(Array.from({ length: servers }, () => startServer(options)));
  const written: number[] = [];
  const failures: string[] = [];
  await Promise.all(
    processes.map(async (server, which) => {
      for (let turn = 0; turn < each; turn++) {
        const number = which * each + turn;
        const { isError, text } = await write(server, number);
        if (isError) failures.push(text);
        else written.push(number);
      }
    }),
  );
  await Promise.all(processes.map((server) => server.closeInput()));
  return { written: written.toSorted((a, b) => a - b), failures };
}

/** What one killed server left, and how the next one got on. */
export interface KillRound {
  round: number;
  /** Writes of the killed server that had been answered. */
  answered: number[];
  /** Texts of its writes that were refused; there should be none. */
  refused: string[];
  /** The first write of a fresh server, and the milliseconds it took. */
  next: { isError: boolean; text: string; elapsed: number };
}

/**
 * Kills a server with SIGKILL while it writes, again and again, at a different moment each time, and lets a fresh one
 * write once after each. `check` looks at the files after every round.
 */
export async function killWhileWriting(
  options: StartOptions,
  rounds: number,
  write: Write,
  check: (round: KillRound) => Promise<void>,
): Promise<void> {
  let server = await startServer(options);
  let number = 0;
  for (let round = 0; round < rounds; round++) {
    const answered: number[] = [];
    const refused: string[] = [];
    await new Promise<void>((struck) => {
      const enough = 1 + (round % 4);
      // One process's writes queue, so a few are always under way when the blow comes.
      for (let lane = 0; lane < 3; lane++) void keepWriting({ server, write, nextNumber: () => number++, answered, refused, enough, tell: struck });
    });
    for (let spins = 0; spins < (round * 7) % 40; spins++) await new Promise(setImmediate);
    await server.kill("SIGKILL");
    server = await startServer(options);
    const before = performance.now();
    const next = await write(server, number++);
    await check({ round, answered, refused, next: { ...next, elapsed: performance.now() - before } });
  }
  await server.closeInput();
}

interface Lane {
  server: TestServer;
  write: Write;
  nextNumber: () => number;
  answered: number[];
  refused: string[];
  enough: number;
  tell: () => void;
}

/** Writes until the server is gone or refuses; tells when `enough` writes have been answered by all lanes together. */
async function keepWriting({ server, write, nextNumber, answered, refused, enough, tell }: Lane): Promise<void> {
  try {
    while (refused.length === 0) {
      const mine = nextNumber();
      const { isError, text } = await write(server, mine);
      if (isError) refused.push(text);
      else answered.push(mine);
      if (answered.length >= enough) tell();
    }
  } catch {
    // killed
  }
  tell();
}
