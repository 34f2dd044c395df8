/** The scan at its limits, and the comparison of what could not be looked at. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test-support/folders.js";
import { compare, summarise } from "./compare.js";
import { ancestorsOf, LIMITS, scanTree } from "./scan.js";

const { signal } = new AbortController();

async function tree(...files: string[]): Promise<string> {
  const root = await temporaryFolder("omc-scan-");
  for (const file of files) {
    await mkdir(join(root, file, ".."), { recursive: true });
    await writeFile(join(root, file), "");
  }
  return root;
}

it("names what lies behind the limit of folders, and cuts off the deepest", async () => {
  const root = await tree("a/x", "b/x", "c/x", "a/deep/x");
  const { directories, unseen } = await scanTree(root, signal, { ...LIMITS, directories: 4 });
  expect([...directories.keys()]).toEqual(["a", "b", "c"]);
  expect([...unseen]).toEqual([["a/deep", "too many"]]);
});

it("names what lies behind the limit of files", async () => {
  const root = await tree("x", "y", "a/x", "a/y");
  const { directories, unseen } = await scanTree(root, signal, { ...LIMITS, files: 3 });
  expect([...directories]).toEqual([[".", ["x", "y"]]]);
  expect([...unseen]).toEqual([["a", "too many"]]);
});

it("names what is too deep", async () => {
  const root = await tree("a/x", "a/b/x");
  const { directories, unseen } = await scanTree(root, signal, { ...LIMITS, depth: 1 });
  expect([...directories.keys()]).toEqual(["a"]);
  expect([...unseen]).toEqual([["a/b", "too deep"]]);
});

it("takes nothing that was not looked at for deleted", async () => {
  const root = await tree("a/x");
  const { directories } = await scanTree(root, signal);
  const before = new Map([["a", ["x"]], ["b", ["x"]], ["b/c", ["x"]], ["bc", ["x"]]]);
  const changes = compare(before, { directories, unseen: new Map([["b", "not readable"]]) });
  expect(changes.map(({ path, status }) => [path, status])).toEqual([["a", "unchanged"], ["bc", "deleted"]]);
  expect(summarise(changes)).toEqual({ total: 2, added: 0, deleted: 1, modified: 0, unchanged: 1 });
});

it("lists some names of many", () => {
  const after = Array.from({ length: 1000 }, (_, number) => `f${number}`);
  const [change] = compare(new Map([[".", []]]), { directories: new Map([[".", after]]), unseen: new Map() });
  expect(change?.reason).toMatch(/^files added: f0, .*f19, and 980 more$/);
});

it("stops when told", async () => {
  await expect(scanTree(await tree("x"), AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
});

it("fails when the root is not there", async () => {
  await expect(scanTree(join(await tree(), "none"), signal)).rejects.toThrow("ENOENT");
});

it("knows the folders above", () => {
  expect(["a/b/c", "a", "."].map(ancestorsOf)).toEqual([["a/b", "a", "."], ["."], []]);
});
