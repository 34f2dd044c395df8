import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FileChangeType } from "vscode-languageserver-protocol/node";
import { expect, it, vi } from "vitest";
import { writeFiles } from "../test-support/fake-project.js";
import { makeProject } from "../test-support/project.js";
import { WatchedFiles } from "./watched-files.js";

it("every look at a small tree is made, however busy the machine", async () => {
  const { root } = await makeProject();
  await writeFiles(root, { "a.ts": "", "below/b.ts": "" });
  const watched = new WatchedFiles(root, [".ts"]);
  let now = 0;
  vi.spyOn(Date, "now").mockImplementation(() => (now += 1_000));
  try {
    expect(await watched.changes()).toEqual([]);
    await writeFile(join(root, "below/b.ts"), "longer");
    await writeFile(join(root, "c.ts"), "");
    expect((await watched.changes()).toSorted((one, other) => one.path.localeCompare(other.path))).toEqual([
      { path: join(root, "below/b.ts"), type: FileChangeType.Changed },
      { path: join(root, "c.ts"), type: FileChangeType.Created },
    ]);
  } finally {
    vi.restoreAllMocks();
  }
});
