import { mkdir, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { writeFiles } from "../../../test-support/fake-project.js";
import { makeProject } from "../../../test-support/project.js";
import { sourceFiles } from "./source-files.js";

const never = new AbortController().signal;

async function found(root: string, most = 100): Promise<string[]> {
  return (await sourceFiles(root, most, never)).paths.map((path) => relative(root, path));
}

describe("source files", () => {
  it("are those of all known languages, sorted, without what is made or fetched", async () => {
    const { root } = await makeProject();
    const skipped = ["node_modules", "dist", "build", ".git", ".venv", "__pycache__", "target"].map((folder) => [`${folder}/x.ts`, ""]);
    await writeFiles(root, { "b.py": "", "a.ts": "", "z/c.go": "", "m/d.RS": "", "notes.txt": "", ".hidden/e.lua": "", ...Object.fromEntries(skipped) });
    expect(await found(root)).toEqual(["a.ts", "b.py", ".hidden/e.lua", "m/d.RS", "z/c.go"]);
  });

  it("are found once, whatever links there are", async () => {
    const { root, folder } = await makeProject();
    await writeFiles(root, { "a.ts": "", "in/b.ts": "" });
    await writeFiles(folder, { "outside/c.ts": "" });
    await symlink(".", join(root, "loop"));
    await symlink("..", join(root, "in", "up"));
    await symlink("a.ts", join(root, "again.ts"));
    await symlink(join(folder, "outside"), join(root, "out"));
    expect(await found(root)).toEqual(["a.ts", "in/b.ts"]);
  });

  it("are no more than wanted, which is told", async () => {
    const { root } = await makeProject();
    await writeFiles(root, Object.fromEntries(Array.from({ length: 5 }, (_, number) => [`f${number}.ts`, ""])));
    expect(await sourceFiles(root, 3, never)).toMatchObject({ more: true, paths: { length: 3 } });
    expect(await sourceFiles(root, 5, never)).toMatchObject({ more: false, paths: { length: 5 } });
  });

  it("are not looked for any more when the call is aborted", async () => {
    const { root } = await makeProject();
    await mkdir(join(root, "x"));
    await expect(sourceFiles(root, 3, AbortSignal.abort())).rejects.toThrow();
  });
});
