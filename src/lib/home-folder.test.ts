import { mkdir, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../test-support/folders.js";
import { homeFolder, statedHome } from "./home-folder.js";

test.each(["", "home", "./home"])("HOME=%j is no home", async (value) => {
  vi.stubEnv("HOME", value);
  expect(statedHome()).toBeUndefined();
  expect(await homeFolder()).toBeUndefined();
});

test("the root of the disk is stated, but nothing is kept there", async () => {
  vi.stubEnv("HOME", "/");
  expect(statedHome()).toBe("/");
  expect(await homeFolder()).toBeUndefined();
});

test("links are resolved; a home that is not there yet is taken as it is", async () => {
  const folder = await temporaryFolder("omc-home-");
  await mkdir(join(folder, "real"));
  await symlink(join(folder, "real"), join(folder, "link"));
  vi.stubEnv("HOME", join(folder, "link"));
  expect(statedHome()).toBe(join(folder, "link"));
  expect(await homeFolder()).toBe(join(folder, "real"));
  vi.stubEnv("HOME", join(folder, "none"));
  expect(await homeFolder()).toBe(join(folder, "none"));
});

test("a user whom the system does not know has none", async () => {
  vi.doMock("node:os", () => ({
    homedir() {
      throw new Error("A system error occurred: uv_os_homedir returned ENOENT (no such file or directory)");
    },
  }));
  vi.resetModules();
  onTestFinished(() => void vi.doUnmock("node:os"));
  const fresh = await import("./home-folder.js");
  expect(fresh.statedHome()).toBeUndefined();
  expect(await fresh.homeFolder()).toBeUndefined();
  expect(homedir()).not.toBe("");
});
