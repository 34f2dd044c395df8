import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { waitUntilGone } from "../test-support/processes.js";
import { signalGroup } from "./process-group.js";

const START_ANOTHER = `
  const child = require("node:child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"]);
  console.log(child.pid);
  setInterval(() => {}, 1000);`;

test("ends a program and what it started, once or again", async () => {
  const child = spawn(process.execPath, ["-e", START_ANOTHER], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => signalGroup(child, "SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  signalGroup(child, "SIGKILL");
  await waitUntilGone([child.pid as number, Number(line.toString())], 5_000);
  expect(() => signalGroup(child, "SIGKILL")).not.toThrow();
});

test("does nothing about a program that could not be started", async () => {
  const child = spawn("no-such-program-anywhere", { detached: true });
  await once(child, "error");
  expect(() => signalGroup(child, "SIGKILL")).not.toThrow();
});
