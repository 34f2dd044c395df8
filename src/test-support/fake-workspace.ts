/** A project whose files a scripted language server answers for, used in the test's own process. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { withSession } from "../lsp/sessions.js";
import type { Session } from "../lsp/session.js";
import { type Fake, type FakeScript, installFake } from "./fake-language-server.js";
import { makeProject } from "./project.js";

export interface FakeWorkspace extends Fake {
  root: string;
  /** Writes a file of the project and returns its path. */
  write(name: string, text: string): Promise<string>;
  /** Has a session for `a.lua`, or another file. */
  inSession<T>(work: (session: Session, file: string) => Promise<T>, name?: string, signal?: AbortSignal): Promise<T>;
  /** How often the fake was started. */
  starts(): Promise<number>;
  /** Parameters of all messages of that method, in order. */
  told(method: string): Promise<Record<string, unknown>[]>;
}

/** A project with `a.lua` in it; the fake is the Lua server. The servers are ended with the test. */
export async function fakeWorkspace(script: FakeScript = {}): Promise<FakeWorkspace> {
  const [{ root }, fake] = [await makeProject(), await installFake("lua-language-server", script)];
  vi.stubEnv("PATH", fake.path);
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  };
  await write("a.lua", "print(1)\n");
  return {
    ...fake,
    root,
    write,
    inSession: (work, name = "a.lua", signal) => withSession(join(root, name), signal, work),
    starts: async () => (await fake.heard()).filter(({ started }) => started !== undefined).length,
    told: async (method) => (await fake.heard()).filter((one) => one.method === method).map(({ params }) => params ?? {}),
  };
}

/** Tries until `check` passes; what is awaited is another process's doing, so it may take a while. */
export function eventually(check: () => Promise<void> | void): Promise<void> {
  return vi.waitFor(check, { timeout: 15_000, interval: 25 });
}
