/**
 * The engine of structural search: a process of its own, because the native matcher can end the process it is in.
 * It reads and computes, and never writes. The server asks by messages, one at a time, and ends it when it takes
 * too long. It goes when the server does.
 */
import { Worker } from "node:worker_threads";
import { errorText } from "../tools/error-text.js";
import { type Engine, loadEngine } from "./module.js";
import { PatternError, readPattern } from "./pattern.js";
import type { EngineOutcome, EngineRequest } from "./protocol.js";
import { planReplacement } from "./replace.js";
import { search } from "./search.js";
import { UnboundError } from "./template.js";

let engine: Promise<Engine> | undefined;

async function answer(request: EngineRequest): Promise<EngineOutcome> {
  let loaded: Engine;
  try {
    loaded = await (engine ??= loadEngine());
  } catch (error) {
    return { kind: "unavailable", reason: loaderSays(error) };
  }
  const grammar = loaded.grammar(request.language);
  if (grammar === undefined) return { kind: "unsupported", reason: `@ast-grep/napi ${loaded.version} has no ${request.language}`.replace("  ", " ") };
  try {
    const pattern = readPattern(request.pattern, request.language, grammar);
    return request.kind === "search" ? await search(request, grammar, pattern) : await planReplacement(request, grammar, pattern);
  } catch (error) {
    if (error instanceof PatternError || error instanceof UnboundError) return { kind: "invalid", reason: error.message };
    process.stderr.write(`ast-engine: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return { kind: "invalid", reason: `the matcher says: ${firstLine(errorText(error))}` };
  }
}

/** The first line, and of paths only the last name. */
function loaderSays(error: unknown): string {
  return firstLine(error instanceof Error ? error.message : String(error)).replace(/(?:[A-Za-z]:)?[\\/](?:[^\\/\s'"]+[\\/])+/g, "");
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.trim() ?? "";
}

/** A matcher that hangs hears nothing; this thread sees that the server is gone. */
function watchParent(): void {
  const code = `
    const { workerData } = require("node:worker_threads");
    setInterval(() => { if (process.ppid !== workerData) process.kill(process.pid, "SIGKILL"); }, 1000);`;
  new Worker(code, { eval: true, workerData: process.ppid }).unref();
}

process.on("disconnect", () => process.exit());
process.on("message", (request: EngineRequest) => {
  void answer(request).then((outcome) => process.send?.(outcome));
});
if (process.send === undefined) {
  process.stderr.write("ast-engine: started by the server, not by hand\n");
  process.exitCode = 1;
} else {
  watchParent();
}
