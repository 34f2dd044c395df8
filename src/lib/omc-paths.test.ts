import { mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../test-support/folders.js";
import { contained, containedDir, ensureDir, UnsafePathError } from "./omc-paths.js";

const makeFolder = () => temporaryFolder("omc-paths-");

test.each([[["state", "a.json"]], [["state/sessions/s1"]], [["..hidden"]], [["a..b"]], [["..."]]])("%j is inside", async (segments) => {
  const root = join(await makeFolder(), ".omc");
  expect(await contained(root, ...segments)).toBe(join(root, ...segments));
});

test.each([[[".."]], [["a", "..", "..", "b"]], [["a/../../b"]], [["/etc"]], [["a\\..\\b"]], [[""]], [["a", ""]], [["."]], [["a\0b"]]])(
  "%j is refused",
  async (segments) => {
    await expect(contained(join(await makeFolder(), ".omc"), ...segments)).rejects.toThrow(UnsafePathError);
  },
);

test("a link at any level, the last one included, is refused by its place below the root", async () => {
  const folder = await makeFolder();
  const root = join(folder, ".omc");
  await mkdir(join(root, "state"), { recursive: true });
  await symlink(folder, join(root, "state", "sessions"));
  const message = "'.omc/state/sessions' is a symbolic link and was not used";
  await expect(contained(root, "state", "sessions")).rejects.toThrow(message);
  await expect(contained(root, "state", "sessions", "s1", "a.json")).rejects.toThrow(message);
  await expect(containedDir(root, "state", "sessions", "s1")).rejects.toThrow(message);
  await symlink(join(folder, "nowhere"), join(root, "dangling"));
  await expect(contained(root, "dangling")).rejects.toThrow("is a symbolic link");
});

test("folders are made as the user's mask says", async () => {
  const root = join(await makeFolder(), ".omc");
  const dir = await containedDir(root, "state", "sessions", "s1");
  expect((await stat(dir)).isDirectory()).toBe(true);
  expect(await containedDir(root, "state", "sessions", "s1")).toBe(dir);
});

describe("a link in place of the root", () => {
  test("to a folder of the user is followed", async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, "kept"));
    await symlink(join(folder, "kept"), join(folder, ".omc"));
    expect(await contained(join(folder, ".omc"), "state")).toBe(join(folder, ".omc", "state"));
  });

  test.each([".ssh", ".config/tool", "home", ".", "nowhere", "file"])("to %s is refused", async (target) => {
    const folder = await makeFolder();
    vi.stubEnv("HOME", join(folder, "home"));
    await mkdir(join(folder, "home"));
    await mkdir(join(folder, ".ssh"));
    await mkdir(join(folder, ".config/tool"), { recursive: true });
    await writeFile(join(folder, "file"), "");
    await mkdir(join(folder, "repository"));
    await symlink(join(folder, target), join(folder, "repository", ".omc"));
    await expect(contained(join(folder, "repository", ".omc"), "state")).rejects.toThrow("'.omc' is a symbolic link");
  });
});

test.each(["/", "/etc", "/usr/share", "/proc"])("a link to %s is refused, also for root, to whom it belongs", async (target) => {
  const folder = await makeFolder();
  await symlink(target, join(folder, ".omc"));
  await expect(contained(join(folder, ".omc"), "state")).rejects.toThrow("'.omc' is a symbolic link");
});

test("a file where a folder should be is for the caller to run into", async () => {
  const root = join(await makeFolder(), ".omc");
  await mkdir(root);
  await writeFile(join(root, "state"), "");
  expect(await contained(root, "state", "a.json")).toBe(join(root, "state", "a.json"));
  await expect(containedDir(root, "state", "sessions")).rejects.toMatchObject({ code: "ENOTDIR" });
});

describe("making folders", () => {
  test("makes those above, at once or many at a time, and leaves what is there", async () => {
    const folder = await makeFolder();
    await Promise.all(Array.from({ length: 8 }, (_, index) => ensureDir(join(folder, "a/b/c", String(index % 2)))));
    await ensureDir(join(folder, "a"));
    expect((await stat(join(folder, "a/b/c/1"))).isDirectory()).toBe(true);
  });

  test.each(["/proc/omc/state", "/proc/omc"])("comes back from %s, where nothing can be made", async (path) => {
    await expect(ensureDir(path)).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  });

  test("tells of a file in the place", async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, "file"), "");
    await expect(ensureDir(join(folder, "file"))).rejects.toMatchObject({ code: "EEXIST" });
  });
});
