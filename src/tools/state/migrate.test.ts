import { mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { git, plainFolder } from "../../test-support/project.js";
import { call, enter, plant, sessionFile, text } from "./calling.js";

/** A home folder and a plain folder in it. Not under the temporary folder, which no project may be in. */
async function enterHome(): Promise<{ home: string; dir: string; old: string; now: string }> {
  const home = await plainFolder("omc-test-home-");
  const dir = join(home, "work");
  await mkdir(dir);
  enter(dir, home);
  return { home, dir, old: sessionFile(join(dir, ".omc"), "s1", ""), now: sessionFile(join(home, ".omc"), "s1", "") };
}

test("copies what is the session's, once, and never overwrites", async () => {
  const { home, dir, old, now } = await enterHome();
  const mine = { active: true, session_id: "s1" };
  await plant(join(old, "ralph-state.json"), mine);
  await plant(join(old, "team-state.json"), { active: true, session_id: "s2" });
  await plant(join(old, "bad.json"), "{bad");
  await plant(join(old, "big.json"), { ...mine, text: "x".repeat(1_048_577) });
  await plant(join(old, "there.json"), mine);
  await plant(join(old, "note.txt"), "not a state");
  await plant(join(now, "there.json"), { other: true });
  await symlink(join(old, "ralph-state.json"), join(old, "link.json"));
  const report = JSON.parse(await text("state_migrate_non_git", { session_id: "s1" })) as object;
  expect(report).toEqual({
    source: join(dir, ".omc", "state", "sessions", "s1"),
    destination: join(home, ".omc", "state", "sessions", "s1"),
    copied: ["ralph-state.json"],
    skipped: ["there.json"],
    rejected: ["bad.json", "big.json", "link.json", "team-state.json"],
  });
  expect(await readFile(join(now, "ralph-state.json"), "utf8")).toBe(await readFile(join(old, "ralph-state.json"), "utf8"));
  expect((await stat(join(now, "ralph-state.json"))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(now, "there.json"), "utf8")).toContain("other");
  expect(await readdir(now)).toEqual(["ralph-state.json", "there.json"]);
  expect(JSON.parse(await text("state_migrate_non_git", { session_id: "s1" }))).toMatchObject({ copied: [] });
  expect(await text("state_read", { mode: "ralph", session_id: "s1" })).toContain('"active": true');
});

test("nothing to copy is no error and leaves nothing", async () => {
  const { home } = await enterHome();
  const report = JSON.parse(await text("state_migrate_non_git", { session_id: "s1", workingDirectory: "." })) as object;
  expect(report).toMatchObject({ copied: [], skipped: [], rejected: [] });
  expect(await readdir(home)).toEqual(["work"]);
});

test("goes to OMC_STATE_DIR when that is set", async () => {
  const { home, old } = await enterHome();
  vi.stubEnv("OMC_STATE_DIR", join(home, "central"));
  await plant(join(old, "ralph-state.json"), { session_id: "s1" });
  const report = JSON.parse(await text("state_migrate_non_git", { session_id: "s1" })) as object;
  expect(report).toMatchObject({ destination: join(home, "central", "non-git", "state", "sessions", "s1"), copied: ["ralph-state.json"] });
});

test.each([
  ["no session", async () => ({ session_id: "" }), "Session ID cannot be empty"],
  ["a bad session", async () => ({ session_id: "../x" }), "path traversal not allowed"],
  ["a folder outside", async () => ({ session_id: "s1", workingDirectory: ".." }), "outside the server's working directory"],
  ["a missing folder", async () => ({ session_id: "s1", workingDirectory: "none" }), "not a folder"],
  [
    "a hidden folder",
    async ({ dir }: { dir: string }) => (await mkdir(join(dir, ".config")), { session_id: "s1", workingDirectory: ".config" }),
    "sensitive",
  ],
  [
    "a repository",
    async ({ dir }: { dir: string }) => (await git(dir, "init", "--quiet", "repo"), { session_id: "s1", workingDirectory: "repo" }),
    "git repository",
  ],
  [
    "a broken repository",
    async ({ dir }: { dir: string }) => (await mkdir(join(dir, "x", ".git"), { recursive: true }), { session_id: "s1", workingDirectory: "x" }),
    "git repository",
  ],
  [
    "a linked session folder",
    async ({ dir, old }: { dir: string; old: string }) => {
      await mkdir(join(old, ".."), { recursive: true });
      await symlink(dir, join(old, "..", "s1"));
      return { session_id: "s1" };
    },
    "symbolic link",
  ],
  [
    "a linked destination",
    async ({ dir, old, now }: { dir: string; old: string; now: string }) => {
      await plant(join(old, "ralph-state.json"), { session_id: "s1" });
      await mkdir(join(now, "..", ".."), { recursive: true });
      await symlink(dir, join(now, ".."));
      return { session_id: "s1" };
    },
    "symbolic link",
  ],
])("refuses %s", async (_, prepare, reason) => {
  const places = await enterHome();
  const answer = await call("state_migrate_non_git", await prepare(places));
  expect(answer).toMatchObject({ isError: true });
  expect(answer.text).toContain("Error migrating non-git state: state_migrate_non_git");
  expect(answer.text).toContain(reason);
});
