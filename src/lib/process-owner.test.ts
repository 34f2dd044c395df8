import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { ELSEWHERE_MS, goneAfterMs, isRunning, thisProcess, UNSURE_MS } from "./process-owner.js";

test("this process runs, under its own start time only", async () => {
  const me = await thisProcess();
  expect(me.pid).toBe(process.pid);
  expect(await goneAfterMs(me)).toBe(Infinity);
  expect(await isRunning({ pid: process.pid })).toBe(true);
  if (me.processStart !== undefined) expect(await goneAfterMs({ ...me, processStart: "1" })).toBe(0);
  expect(await goneAfterMs({ pid: process.pid, processStart: "unknown" })).toBe(Infinity);
});

test("a process that has ended is gone at once; without a recorded place only after a moment", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const { place } = await thisProcess();
  expect(await goneAfterMs({ pid, place })).toBe(0);
  expect(await goneAfterMs({ pid })).toBe(UNSURE_MS);
});

test("nothing is said about processes of other boots, hosts and containers", async () => {
  expect(await goneAfterMs({ pid: process.pid, place: "another boot" })).toBe(ELSEWHERE_MS);
  expect(await goneAfterMs({ pid: 999_999_999, place: "another boot" })).toBe(ELSEWHERE_MS);
});

test.each([0, -1, 1.5, Number.NaN])("pid %s is nobody", async (pid) => {
  expect(await isRunning({ pid })).toBe(false);
});

test.runIf(process.platform === "linux")("a process that nobody has reaped is gone", async () => {
  // The shell becomes a sleep, which never asks after the child that it has inherited.
  const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 60"]);
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [output] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(String(output).trim());
  await expect.poll(() => isRunning({ pid })).toBe(false);
  expect(() => process.kill(pid, 0)).not.toThrow();
});
