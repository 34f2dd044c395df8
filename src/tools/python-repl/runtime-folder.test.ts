import { chmod, mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test-support/folders.js";
import { RuntimeFolderError, runtimeFolder, type Surroundings } from "./runtime-folder.js";

const uid = process.getuid?.() as number;

async function surroundings(changes: Partial<Surroundings> = {}): Promise<Surroundings> {
  const shared = await temporaryFolder("omc-test-");
  return { env: {}, platform: "linux", home: join(shared, "home"), uid, shared, ...changes };
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test("the user's runtime folder, if it is private", async () => {
  const where = await surroundings();
  const xdg = join(where.shared, "xdg");
  await mkdir(xdg, { mode: 0o700 });
  where.env["XDG_RUNTIME_DIR"] = xdg;
  expect(await runtimeFolder(where)).toBe(join(xdg, "omc"));
  expect(await modeOf(join(xdg, "omc"))).toBe(0o700);
  await chmod(xdg, 0o755);
  expect(await runtimeFolder(where)).toBe(join(where.shared, "omc", "runtime"));
  await chmod(xdg, 0o700);
  await symlink(xdg, join(where.shared, "link"));
  for (const given of [join(where.shared, "link"), "xdg", join(where.shared, "none"), ""]) {
    expect(await runtimeFolder({ ...where, env: { XDG_RUNTIME_DIR: given } })).toBe(join(where.shared, "omc", "runtime"));
  }
});

test("one that this user has made open for all is closed", async () => {
  const where = await surroundings();
  await mkdir(join(where.shared, "omc", "runtime"), { recursive: true, mode: 0o777 });
  await chmod(join(where.shared, "omc"), 0o755);
  const folder = await runtimeFolder(where);
  expect(folder).toBe(join(where.shared, "omc", "runtime"));
  expect([await modeOf(join(where.shared, "omc")), await modeOf(folder)]).toEqual([0o700, 0o700]);
});

test("a folder of one's own, where somebody else has taken the common one", async () => {
  const where = await surroundings();
  await symlink(where.shared, join(where.shared, "omc"));
  expect(await runtimeFolder(where)).toBe(join(where.shared, `omc-${uid}`, "runtime"));
  const stranger = { ...where, uid: uid + 1 }; // to whom the folders just made are somebody else's
  await mkdir(join(where.shared, `omc-${uid + 1}`));
  await expect(runtimeFolder(stranger)).rejects.toThrow(RuntimeFolderError);
  await expect(runtimeFolder(stranger)).rejects.toThrow("set XDG_RUNTIME_DIR to a folder of your own with mode 0700");
});

test("the places of other systems", async () => {
  const where = await surroundings();
  const home = where.home as string;
  expect(await runtimeFolder({ ...where, platform: "darwin" })).toBe(join(home, "Library", "Caches", "omc", "runtime"));
  expect(await runtimeFolder({ ...where, platform: "win32", uid: undefined })).toBe(join(home, "AppData", "Local", "omc", "runtime"));
});
