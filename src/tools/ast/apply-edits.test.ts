import { mkdir, readFile, rename, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { digestOf } from "../../ast/source-file.js";
import { makeProject } from "../../test-support/project.js";
import { applyAll, withEdits } from "./apply-edits.js";

const EDIT = { start: 0, end: 1, text: "g", line: 1, before: "f" };
const planned = (file: string, text: string) => ({ file, digest: digestOf(Buffer.from(text)), edits: [EDIT] });
const ever = new AbortController().signal;

test("edits are put in from the first to the last", () => {
  const edits = [
    { ...EDIT, start: 1, end: 2, text: "BB" },
    { ...EDIT, start: 2, end: 2, text: "-" },
    { ...EDIT, start: 4, end: 5, text: "" },
  ];
  expect(withEdits("abcde", edits)).toBe("aBB-cd");
});

test("a file that was changed since it was matched is not written", async () => {
  const { root } = await makeProject();
  const [stale, fresh] = [join(root, "a.ts"), join(root, "b.ts")];
  await writeFile(stale, "f(2)");
  await writeFile(fresh, "f(1)");
  const results = await applyAll([planned(stale, "f(1)"), planned(fresh, "f(1)")], ever);
  expect(results).toEqual([{ file: stale, edits: 1, reason: "it was changed meanwhile; run the call again" }, { file: fresh, edits: 1 }]);
  expect(await readFile(stale, "utf8")).toBe("f(2)");
  expect(await readFile(fresh, "utf8")).toBe("g(1)");
});

test("a file or folder that became a link, or nothing, meanwhile is not written through", async () => {
  const { root, folder } = await makeProject();
  const other = join(folder, "other");
  await mkdir(join(root, "src"));
  await writeFile(join(root, "src", "a.ts"), "f(1)");
  await rename(join(root, "src"), other);
  await symlink(other, join(root, "src"));
  await symlink(join(other, "a.ts"), join(root, "b.ts"));
  await writeFile(join(root, "c.ts"), "f(1)");
  await unlink(join(root, "c.ts"));
  const files = ["src/a.ts", "b.ts", "c.ts"].map((name) => planned(join(root, name), "f(1)"));
  const reasons = (await applyAll(files, ever)).map(({ reason }) => reason);
  expect(reasons[0]).toContain("replaced by a link");
  expect(reasons[1]).toContain("ELOOP");
  expect(reasons[2]).toContain("ENOENT");
  expect(await readFile(join(other, "a.ts"), "utf8")).toBe("f(1)");
});

test("after a cancellation the rest is left as it is", async () => {
  const { root } = await makeProject();
  const file = join(root, "a.ts");
  await writeFile(file, "f(1)");
  const results = await applyAll([planned(file, "f(1)")], AbortSignal.abort());
  expect(results).toEqual([{ file, edits: 1, reason: "the call was cancelled" }]);
  expect(await readFile(file, "utf8")).toBe("f(1)");
});
