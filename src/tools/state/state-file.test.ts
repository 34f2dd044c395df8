import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test-support/folders.js";
import { loadState, mayTouch, objectOf, ownerOf, surveyState } from "./state-file.js";

const makeFolder = () => temporaryFolder("omc-state-");

test("what lies at a path", async () => {
  const folder = await makeFolder();
  const at = (name: string) => join(folder, name);
  await writeFile(at("good"), '{"active":true}');
  await writeFile(at("torn"), '{"active":');
  await mkdir(at("folder"));
  await symlink(at("good"), at("link"));
  expect(await loadState(at("none"))).toEqual({ kind: "absent" });
  expect(await loadState(at("good"))).toEqual({ kind: "value", value: { active: true } });
  for (const name of ["torn", "folder", "link"]) expect(await loadState(at(name))).toEqual({ kind: "unreadable" });
});

test("a file that may not be opened is an error when it is read, and unreadable in a survey", async () => {
  const path = join(await makeFolder(), "x".repeat(300));
  await expect(loadState(path)).rejects.toMatchObject({ code: "ENAMETOOLONG" });
  expect(await surveyState(path)).toMatchObject({ kind: "unreadable", refused: { code: "ENAMETOOLONG" } });
});

test.each([
  [{ _meta: { sessionId: "a" }, session_id: "b" }, "a"],
  [{ _meta: { sessionId: "" }, session_id: "b" }, "b"],
  [{ _meta: [], session_id: 7 }, undefined],
  [JSON.parse('{"__proto__":{"session_id":"x"}}'), undefined],
  [["b"], undefined],
  [null, undefined],
])("the owner of %j is %s", (value, owner) => {
  const loaded = { kind: "value", value } as const;
  expect(ownerOf(loaded)).toBe(owner);
  expect(mayTouch(loaded, "a")).toBe(owner === undefined || owner === "a");
  expect(objectOf(loaded)).toBe(value !== null && !Array.isArray(value) ? value : undefined);
});
