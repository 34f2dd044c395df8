import { link, mkdir, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../test-support/folders.js";
import { publishOwnerFile, readOwnerFile } from "./owner-file.js";

const makeFolder = () => temporaryFolder("omc-owner-");

test.each([
  ['{"pid":7,"timestamp":1}', { pid: 7 }],
  ['{"version":1,"pid":7,"processStart":"99","createdAt":"t","nonce":"n"}', { pid: 7, processStart: "99" }],
  ['{"schema_version":1,"pid":7,"process_started_at":"linux:99"}', { pid: 7, processStart: "99" }],
  ['{"pid":7,"processStart":99,"place":"here"}', { pid: 7, place: "here" }],
  ["", undefined],
  ['{"pid":', undefined],
  ["null", undefined],
  ["7", undefined],
  ['{"pid":"7"}', undefined],
  ['{"pid":0}', undefined],
  ['{"pid":1.5}', undefined],
])("%s names %j", async (text, owner) => {
  const path = join(await makeFolder(), "lock");
  await writeFile(path, text);
  const read = await readOwnerFile(path);
  expect(read).toBeDefined();
  expect(read?.owner && JSON.parse(JSON.stringify(read.owner))).toEqual(owner);
});

test("what is no file of ours is there, but says nothing", async () => {
  const dir = await makeFolder();
  await symlink("/dev/zero", join(dir, "link"));
  await mkdir(join(dir, "folder"));
  await writeFile(join(dir, "big"), `{"pid":1,"x":"${"x".repeat(20_000)}"}`);
  for (const name of ["link", "folder", "big"]) expect(await readOwnerFile(join(dir, name))).toMatchObject({ owner: undefined });
  expect(await readOwnerFile(join(dir, "none"))).toBeUndefined();
});

test("the id is another one for another file of the same name, even in the same inode at the same time", async () => {
  const path = join(await makeFolder(), "lock");
  const ids = new Set<string>();
  for (const pid of [1, 2, 3]) {
    await writeFile(path, JSON.stringify({ pid }));
    await utimes(path, 1, 1);
    ids.add((await readOwnerFile(path))?.id as string);
    await unlink(path);
  }
  expect(ids.size).toBe(3);
});

test("publishing gives a second name, once, with the id of the ticket", async () => {
  const dir = await makeFolder();
  const [ticket, path] = [join(dir, "ticket"), join(dir, "lock")] as const;
  await writeFile(ticket, '{"pid":1}');
  const id = await publishOwnerFile(ticket, path);
  expect(id).toBe((await readOwnerFile(path))?.id);
  expect(await publishOwnerFile(ticket, path)).toBeUndefined();
  await unlink(path);
  await link(ticket, join(dir, "more"));
  expect((await readOwnerFile(ticket))?.id).toBe(id);
  await expect(publishOwnerFile(join(dir, "none"), path)).rejects.toMatchObject({ code: "ENOENT" });
});
