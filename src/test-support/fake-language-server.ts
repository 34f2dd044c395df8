/**
 * Installs the scripted language server of `fake-language-server.mjs` under the name of a real one:
 *
 *     const fake = await installFake("lua-language-server", { hang: ["textDocument/hover"] });
 *     const server = await startServer({ ...project, env: { PATH: fake.path } });
 */
import { chmod, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { runStopHooks } from "../mcp/stop-hooks.js";
import { temporaryFolder } from "./folders.js";
import { waitUntilGone } from "./processes.js";

/** How long after its test a fake may still run, in milliseconds. */
const GONE_WITHIN_MS = 15_000;

/** What the fake does. Methods are named as in the protocol; `initialize` and notifications count too. */
export interface FakeScript {
  /** Requests that are never answered. */
  hang?: string[];
  /** Messages at which it exits with code 3 and a word on stderr. */
  crash?: string[];
  /** Messages at which it writes what it should not. */
  noise?: Record<string, "stderr" | "stdout" | "badHeader" | "badJson" | "hugeFrame" | "notifications">;
  /** Milliseconds before a request is answered. */
  delay?: Record<string, number>;
  /** Fixed results by method. */
  results?: Record<string, unknown>;
  /** Error answers by method; `times`: only so often. */
  errors?: Record<string, { code: number; message: string; times?: number }>;
  /** Added to, or put in place of, its capabilities. */
  capabilities?: Record<string, unknown>;
  /** Requests to the client, sent when it is initialized. */
  asks?: { method: string; params: unknown }[];
  /** Answers `textDocument/diagnostic` and publishes nothing. */
  pull?: boolean;
  /** Says that it answers `textDocument/diagnostic`, and does not. */
  claimsPull?: boolean;
  /** Default: publishes at once, with the version. `inParts`: nothing first, all a moment later. */
  publish?: "never" | "late" | "stale" | "inParts";
  /** How it writes URIs: with `(`, `)` and `@` escaped, or nothing escaped. */
  spelling?: "escaped" | "raw";
  /** Reports that it is loading for so long, or for ever. */
  progress?: { ms: number; endless?: boolean };
  /** Text on stdout before the first message. */
  greeting?: string;
  ignoreTerm?: boolean;
  /** Stays when it is told to exit and when its stdin ends. */
  ignoreExit?: boolean;
  /** Starts a process that ignores SIGTERM, and writes its id to this file. */
  child?: string;
}

export interface Fake {
  /** A PATH with the fake before everything else. */
  path: string;
  folder: string;
  /** All that it was told so far, over all its processes; `started` entries hold their process ids. */
  heard(): Promise<Heard[]>;
}

export interface Heard {
  method?: string;
  id?: string | number;
  params?: Record<string, unknown>;
  started?: number;
  answerTo?: string;
  result?: unknown;
  error?: unknown;
}

/**
 * Installs the fake for the test that runs. What the test's own process has started is ended with the test, and a fake
 * that then goes on running fails it. Not for Windows.
 */
export async function installFake(command: string, script: FakeScript = {}): Promise<Fake> {
  const folder = await temporaryFolder("omc-fake-");
  const log = join(folder, "heard.jsonl");
  const program = fileURLToPath(new URL("fake-language-server.mjs", import.meta.url));
  const text = JSON.stringify({ ...script, log }).replaceAll("'", String.raw`\u0027`);
  await writeFile(join(folder, command), `#!/bin/sh\nFAKE_LSP='${text}' exec '${process.execPath}' '${program}'\n`);
  await chmod(join(folder, command), 0o755);
  const heard = async (): Promise<Heard[]> => {
    const lines = (await readFile(log, "utf8").catch(() => "")).split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Heard);
  };
  onTestFinished(async () => {
    await runStopHooks();
    const pids = (await heard()).flatMap(({ started }) => started ?? []);
    await waitUntilGone(pids, GONE_WITHIN_MS);
  });
  return { path: `${folder}${delimiter}${process.env["PATH"] ?? ""}`, folder, heard };
}
