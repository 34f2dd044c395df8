/** In strict mode nothing that a repository brings along is run. The settings are read once, so this file is only about it. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { makeProject } from "../test-support/project.js";
import { chooseServer } from "./choose-server.js";
import { serverStatus } from "./sessions.js";

async function program(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "#!/bin/sh\n");
  await chmod(path, 0o755);
  return path;
}

test("only the PATH counts, and the TypeScript that is installed there", async () => {
  vi.stubEnv("OMC_SECURITY", "strict");
  const { root, folder } = await makeProject();
  vi.stubEnv("PATH", join(folder, "bin"));
  await program(join(root, "node_modules/.bin/yaml-language-server"));
  await program(join(root, ".venv/bin/ty"));
  await program(join(root, "node_modules/.bin/tsc"));
  await writeFile(join(await program(join(root, "node_modules/typescript/lib/getExePath.js")), "../../package.json"), '{ "version": "7.0.0" }');
  await expect(chooseServer(join(root, "a.yaml"), "a.yaml")).rejects.toThrow("not found");
  await expect(chooseServer(join(root, "a.py"), "a.py")).rejects.toThrow("'ty' not found");
  await expect(chooseServer(join(root, "a.ts"), "a.ts")).rejects.toThrow("'typescript-language-server' not found");

  const classic = await program(join(folder, "bin", "typescript-language-server"));
  const tsserver = join(folder, "bin/node_modules/typescript/lib/tsserver.js");
  await program(tsserver);
  await expect(chooseServer(join(root, "a.ts"), "a.ts")).rejects.toThrow(/security settings/);
  await writeFile(join(tsserver, "../../package.json"), '{ "version": "5.9.3" }');
  const choice = await chooseServer(join(root, "a.ts"), "a.ts");
  expect([choice.program, choice.definition.options?.["tsserver"]]).toEqual([classic, { useSyntaxServer: "never", path: tsserver }]);
  expect((await serverStatus()).filter(({ installed }) => installed).map(({ command }) => command)).toEqual(["typescript-language-server"]);
});
