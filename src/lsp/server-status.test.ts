/** A command that is there and does not work is told apart. */
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { fakeWorkspace } from "../test-support/fake-workspace.js";
import { serverStatus } from "./sessions.js";

test("a server that could not be started is in trouble until it works", async () => {
  const fake = await fakeWorkspace({ crash: ["initialize"] });
  const status = async () => (await serverStatus()).find(({ command }) => command === "lua-language-server");
  expect(await status()).toMatchObject({ installed: true, extensions: [".lua"] });
  expect(await status()).not.toHaveProperty("trouble");
  await expect(fake.inSession(async () => {})).rejects.toThrow();
  expect(await status()).toMatchObject({ installed: true, trouble: expect.stringContaining("fatal: the fake gave up") });
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
