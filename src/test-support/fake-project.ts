/** A project in Lua, whose language server does what a script says, and our server started in it. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Fake, type FakeScript, installFake } from "./fake-language-server.js";
import { makeProject, type Project } from "./project.js";
import { startServer, type TestServer } from "./server.js";

export interface FakeProject extends Project {
  fake: Fake;
  server: TestServer;
  /** URI of a file of the project. */
  uri(file: string): string;
  write(file: string, text: string): Promise<void>;
}

/** What `main.lua` has unless a test says otherwise. */
export const MAIN = "local total = 1\nprint(total)\n";

export async function startFakeProject(script: FakeScript | ((uri: (file: string) => string) => FakeScript), env: Record<string, string> = {}): Promise<FakeProject> {
  const project = await makeProject();
  const uri = (file: string) => `file://${join(project.root, file)}`;
  const fake = await installFake("lua-language-server", typeof script === "function" ? script(uri) : script);
  await writeFiles(project.root, { "main.lua": MAIN });
  const server = await startServer({ ...project, env: { PATH: fake.path, ...env } });
  return { ...project, fake, server, uri, write: (file, text) => writeFiles(project.root, { [file]: text }) };
}

/** Writes files by path relative to `root`, with the folders they need. */
export async function writeFiles(root: string, files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
}
