/** A command that is there and does not work is told apart. */
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { installFake } from "../test-support/fake-language-server.js";
import { fakeWorkspace } from "../test-support/fake-workspace.js";
import { makeProject } from "../test-support/project.js";
import { TYPESCRIPT } from "./registry.js";
import { statusOf } from "./server-status.js";
import { LspFailure } from "./session.js";
import { serverStatus, withSession } from "./sessions.js";

test("a server that could not be started is in trouble until it works", async () => {
  const fake = await fakeWorkspace({ crash: ["initialize"] });
  const status = async () => (await serverStatus()).find(({ command }) => command === "lua-language-server");
  expect(await status()).toMatchObject({ installed: true, extensions: [".lua"] });
  expect(await status()).not.toHaveProperty("trouble");
  await expect(fake.inSession(async () => {})).rejects.toThrow();
  expect(await status()).toMatchObject({ installed: true, trouble: expect.stringContaining("fatal: the fake gave up") });
});

test("a server that stands in for one that is not there is listed in its place", async () => {
  const { folder } = await makeProject();
  const bin = join(folder, "bin");
  const python = async () => (await serverStatus())[1];
  vi.stubEnv("PATH", bin);
  expect(await python()).toMatchObject({ command: "ty", installed: false });
  await mkdir(bin);
  await writeFile(join(bin, "pyright-langserver"), "#!/bin/sh\n", { mode: 0o755 });
  expect(await python()).toMatchObject({ name: "Python Language Server (pyright)", command: "pyright-langserver", installed: true });
  await writeFile(join(bin, "ty"), "#!/bin/sh\n", { mode: 0o755 });
  expect(await python()).toMatchObject({ command: "ty", installed: true });
});

test("a classic TypeScript server without a TypeScript that it can use says how to get one", async () => {
  const { folder, root } = await makeProject();
  const said = "Request initialize failed with message: Could not find a valid TypeScript installation. Please ensure it is there.";
  const fake = await installFake("typescript-language-server", { errors: { initialize: { code: -32603, message: said } } });
  vi.stubEnv("PATH", `${fake.folder}:${join(folder, "bin")}`);
  await mkdir(join(folder, "bin"));
  await symlink(process.execPath, join(folder, "bin", "node"));
  await writeFile(join(root, "a.ts"), "");
  const advice = "npm install -g typescript-language-server typescript@5";
  const asked = withSession(join(root, "a.ts"), undefined, async () => {});
  await expect(asked).rejects.toThrow(
    new LspFailure(`TypeScript Language Server has no TypeScript that it can use; version 7 and later are none for it.\nInstall with: ${advice}`),
  );
  const status = await statusOf(TYPESCRIPT, []);
  expect(status).toMatchObject({ installed: true, install: advice, trouble: expect.stringMatching(/version 7 and later are none for it\.$/) });
});

test("a stand-in that only says what is missing is found out without a start", async () => {
  const fake = await fakeWorkspace();
  const command = join(fake.folder, "rust-analyzer");
  await writeFile(command, '#!/bin/sh\n[ "$1" = --version ] || exit 0\necho "error: no such component" >&2; echo >&2; echo "Stack backtrace" >&2; exit 1\n');
  await chmod(command, 0o755);
  vi.stubEnv("PATH", `${fake.folder}:/usr/bin:/bin`);
  const rust = (await serverStatus()).find(({ command: name }) => name === "rust-analyzer");
  expect(rust).toMatchObject({ installed: true, trouble: "error: no such component" });
});
