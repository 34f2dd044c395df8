import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../test-support/folders.js";
import { createFileAtomic, readTextFile, UnreadableFileError, writeFileAtomic } from "./atomic-file.js";

const makeFolder = () => temporaryFolder("omc-atomic-");

test("writes the text, privately, and leaves nothing beside", async () => {
  const dir = await makeFolder();
  const path = join(dir, "a.json");
  await writeFileAtomic(path, "ä\n");
  expect(await readFile(path, "utf8")).toBe("ä\n");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await chmod(path, 0o644);
  await writeFileAtomic(path, "b");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await writeFileAtomic(path, "c", { mode: 0o640 });
  expect((await stat(path)).mode & 0o777).toBe(0o640);
  expect(await readdir(dir)).toEqual(["a.json"]);
});

test("a link in the file's place is replaced, its target untouched", async () => {
  const dir = await makeFolder();
  await writeFile(join(dir, "target"), "kept");
  await symlink(join(dir, "target"), join(dir, "link"));
  await writeFileAtomic(join(dir, "link"), "new");
  expect(await readFile(join(dir, "target"), "utf8")).toBe("kept");
  expect(await readFile(join(dir, "link"), "utf8")).toBe("new");
  await expect(readlink(join(dir, "link"))).rejects.toMatchObject({ code: "EINVAL" });
});

test("what cannot be written changes nothing and leaves nothing", async () => {
  const dir = await makeFolder();
  await mkdir(join(dir, "folder", "inside"), { recursive: true });
  await expect(writeFileAtomic(join(dir, "folder"), "x")).rejects.toMatchObject({ code: "EISDIR" });
  await expect(writeFileAtomic(join(dir, "none", "a"), "x")).rejects.toMatchObject({ code: "ENOENT" });
  expect(await readdir(dir)).toEqual(["folder"]);
});

test("a new file is made only where none is", async () => {
  const dir = await makeFolder();
  const path = join(dir, "a.json");
  const made = await Promise.all(Array.from({ length: 8 }, (_, at) => createFileAtomic(path, String(at))));
  expect(made.filter(Boolean)).toHaveLength(1);
  expect(await readFile(path, "utf8")).toBe(String(made.indexOf(true)));
  expect(await readdir(dir)).toEqual(["a.json"]);
});

test("a reader sees one whole text or another, never a part", async () => {
  const path = join(await makeFolder(), "a.json");
  const texts = ["a", "b", "c"].map((letter) => letter.repeat(100_000));
  await writeFileAtomic(path, texts[0] as string);
  const progress = { turn: 0 };
  const writer = (async () => {
    for (; progress.turn < 40; progress.turn++) await writeFileAtomic(path, texts[progress.turn % 3] as string);
  })();
  while (progress.turn < 40) expect(texts).toContain(await readTextFile(path));
  await writer;
});

test("reads what is there", async () => {
  const dir = await makeFolder();
  await writeFile(join(dir, "a"), "text");
  expect(await readTextFile(join(dir, "a"))).toBe("text");
  expect(await readTextFile(join(dir, "a"), { maxBytes: 4 })).toBe("text");
  expect(await readTextFile(join(dir, "none"))).toBeUndefined();
  expect(await readTextFile(join(dir, "a", "below"))).toBeUndefined();
});

test.each([
  ["a link", (path: string) => symlink("/etc/hostname", path), "is a symbolic link"],
  ["a folder", (path: string) => mkdir(path), "is not a regular file"],
  ["a pipe that nobody writes to", async (path: string) => void execFileSync("mkfifo", [path]), "is not a regular file"],
  ["a big file", (path: string) => writeFile(path, "12345"), "has 5 bytes, over the limit of 4"],
])("does not read %s", async (_, make, message) => {
  const path = join(await makeFolder(), "x.json");
  await make(path);
  const reading = readTextFile(path, { maxBytes: 4 });
  await expect(reading).rejects.toThrow(UnreadableFileError);
  await expect(reading).rejects.toThrow(`'x.json' ${message}`);
});
