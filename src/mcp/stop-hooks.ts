/**
 * What has to be ended when the server stops: child processes, sessions, open connections. A family registers a hook
 * when it first starts such a thing. This list is the one piece of state that belongs to the process as a whole.
 */
import { errorText } from "../tools/error-text.js";
import { log } from "./log.js";

interface StopHook {
  name: string;
  run: () => Promise<void>;
}

const hooks = new Set<StopHook>();

/** Registers a hook. `name` says in the log what could not be ended. Returns how to take it back. */
export function onStop(name: string, run: () => Promise<void>): () => void {
  const hook = { name, run };
  hooks.add(hook);
  return () => hooks.delete(hook);
}

/** Runs all hooks at once. One that fails is logged and does not hinder the others. Each runs at most once. */
export async function runStopHooks(): Promise<void> {
  const due = [...hooks];
  hooks.clear();
  await Promise.all(
    due.map(async ({ name, run }) => {
      try {
        await run();
      } catch (error) {
        log(`OMC MCP Server: ending ${name} failed: ${errorText(error)}`);
      }
    }),
  );
}
