import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { lastingFolder, removeFolder } from "../test-support/folders.js";
import { demandPrivate } from "./reference.js";

let root: string;

beforeEach(async () => {
  root = await lastingFolder("reference-");
});

afterEach(() => removeFolder(root));

it("takes a folder that nobody else can open", async () => {
  const folder = join(root, "own");
  await mkdir(folder, { mode: 0o700 });
  await expect(demandPrivate(folder)).resolves.toBeUndefined();
});

it("refuses what somebody else may have prepared", async () => {
  const open = join(root, "open");
  await mkdir(open);
  await chmod(open, 0o777);
  const link = join(root, "link");
  const own = join(root, "own");
  await mkdir(own, { mode: 0o700 });
  await symlink(own, link);
  const file = join(root, "file");
  await writeFile(file, "", { mode: 0o600 });
  for (const path of [open, link, file]) await expect(demandPrivate(path)).rejects.toThrow("this user alone");
});
