/**
 * The engines of this server: started when they are needed, at most two, and ended when nobody has asked for a while.
 * An engine works on one request, so that one that dies takes no other call with it.
 */
import type { EngineOutcome, EngineRequest } from "../../ast/protocol.js";
import { onStop } from "../../mcp/stop-hooks.js";
import { EngineError, EngineProcess } from "./engine-process.js";

const MAX_ENGINES = 2;
const IDLE_MS = 5 * 60_000;

const idle: EngineProcess[] = [];
const busy = new Set<EngineProcess>();
const waiting: (() => void)[] = [];
/** Requests that have a place at an engine. */
let held = 0;
let stopped: boolean | undefined;
let idleTimer: NodeJS.Timeout | undefined;

/** Has an engine answer. @throws {EngineError} when none can. */
export async function askEngine(request: EngineRequest, signal: AbortSignal): Promise<EngineOutcome> {
  if (stopped === undefined) {
    stopped = false;
    onStop("the AST engine", stopAll);
  }
  await turn(signal);
  let engine: EngineProcess | undefined;
  try {
    engine = await take();
    const outcome = await engine.ask(request, signal);
    // What was not found when an engine started may be installed by now; only a new one looks again.
    if (outcome.kind === "unavailable" || outcome.kind === "unsupported") engine.kill();
    return outcome;
  } finally {
    if (engine !== undefined) giveBack(engine);
    leaveTurn();
  }
}

/** Waits for one of the places at an engine. */
async function turn(signal: AbortSignal): Promise<void> {
  if (held < MAX_ENGINES) {
    held++;
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const go = () => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = () => {
      waiting.splice(waiting.indexOf(go), 1);
      reject(new EngineError("the call was cancelled"));
    };
    waiting.push(go);
    signal.addEventListener("abort", leave, { once: true });
  });
}

/** Hands the place on. */
function leaveTurn(): void {
  const next = waiting.shift();
  if (next === undefined) held--;
  else next();
}

async function take(): Promise<EngineProcess> {
  clearTimeout(idleTimer);
  for (let engine = idle.pop(); engine !== undefined; engine = idle.pop()) {
    if (engine.alive) return use(engine);
  }
  const engine = use(await EngineProcess.start());
  if (stopped === true) engine.kill();
  return engine;
}

function use(engine: EngineProcess): EngineProcess {
  busy.add(engine);
  return engine;
}

function giveBack(engine: EngineProcess): void {
  busy.delete(engine);
  if (engine.alive) idle.push(engine);
  if (busy.size > 0) return;
  clearTimeout(idleTimer);
  idleTimer = setTimeout(() => {
    for (const unused of idle.splice(0)) unused.kill();
  }, IDLE_MS);
  idleTimer.unref();
}

async function stopAll(): Promise<void> {
  stopped = true;
  for (const engine of [...idle, ...busy]) engine.kill();
}
