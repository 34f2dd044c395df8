/** The locks among real processes, which are killed at any moment. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lastingFolder, removeFolder } from "../test-support/folders.js";

const workspace = fileURLToPath(new URL("..", import.meta.url));
let folder = "";
let compiled = "";

/** Node cannot run TypeScript by itself, so the children get what the compiler makes of it. */
beforeAll(async () => {
  folder = await lastingFolder("omc-locks-");
  compiled = join(folder, "js");
  const compiler = join(workspace, "node_modules", "typescript", "bin", "tsc");
  const options = ["--ignoreConfig", "--module", "nodenext", "--target", "es2022", "--lib", "es2023", "--types", "node", "--strict", "--outDir", compiled];
  await promisify(execFile)(process.execPath, [compiler, ...options, "lib/file-lock.ts", "lib/atomic-file.ts"], { cwd: workspace });
  await writeFile(join(compiled, "package.json"), '{"type":"module"}');
});
afterAll(() => removeFolder(folder));

/** Starts a process that runs this text with `lock(work)`, `read()`, `write(text)` and `file` at hand. */
function start(file: string, protocol: string, text: string) {
  const script = `
    import { withFileLock } from ${JSON.stringify(pathToFileURL(join(compiled, "file-lock.js")))};
    import { readTextFile, writeFileAtomic } from ${JSON.stringify(pathToFileURL(join(compiled, "atomic-file.js")))};
    const file = ${JSON.stringify(file)};
    const read = () => readTextFile(file);
    const write = (text) => writeFileAtomic(file, text);
    const lock = (work) => withFileLock(file, { waitMs: 20000, protocol: ${JSON.stringify(protocol)} }, work);
    ${text}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: workspace, stdio: ["ignore", "pipe", "inherit"] });
  return { child, ended: once(child, "close").then(([code]) => code as number | null) };
}

const COUNT = (times: number) => `
  for (let at = 0; at < ${times}; at++) await lock(async () => write(String(Number((await read()) ?? 0) + 1)));
  console.log("done");`;

describe.each(["simple", "mutation"])("protocol %s", (protocol) => {
  test("8 processes count to 200 without losing one", async () => {
    const file = join(folder, `count-${protocol}`, "n");
    const running = Array.from({ length: 8 }, () => start(file, protocol, COUNT(25)));
    expect(await Promise.all(running.map(({ ended }) => ended))).toEqual(Array.from({ length: 8 }, () => 0));
    expect(await readFile(file, "utf8")).toBe("200");
    expect(await readdir(join(file, ".."))).toEqual(["n"]);
  });

  test("a lock of the dead is taken by one waiter at a time, however many wait", async () => {
    const file = join(folder, `dead-${protocol}`, "n");
    // Each process leaves a dead lock behind, in whose place the others rush.
    const dying = `
      for (let at = 0; at < 3; at++) await lock(async () => write(String(Number((await read()) ?? 0) + 1)));
      await lock(async () => { await write(String(Number(await read()) + 1)); process.kill(process.pid, "SIGKILL"); });`;
    const running = Array.from({ length: 8 }, () => start(file, protocol, dying));
    await Promise.all(running.map(({ ended }) => ended));
    expect(await readFile(file, "utf8")).toBe("32");
    await start(file, protocol, COUNT(1)).ended;
    expect(await readFile(file, "utf8")).toBe("33");
    expect(await readdir(join(file, ".."))).toEqual(["n"]);
  });

  test("processes killed at any moment tear nothing and block nobody", async () => {
    const file = join(folder, `kill-${protocol}`, "n");
    for (let round = 0; round < 6; round++) {
      const victims = Array.from({ length: 3 }, () => start(file, protocol, COUNT(100_000)));
      const before = await readFile(file, "utf8").catch(() => "0");
      await expect.poll(() => readFile(file, "utf8").catch(() => "0"), { interval: 3 + round, timeout: 20_000 }).not.toBe(before);
      for (const { child } of victims) child.kill("SIGKILL");
      await Promise.all(victims.map(({ ended }) => ended));
      const reached = Number(await readFile(file, "utf8"));
      expect(await start(file, protocol, COUNT(1)).ended).toBe(0);
      expect(Number(await readFile(file, "utf8"))).toBe(reached + 1);
      expect(await readdir(join(file, ".."))).toEqual(["n"]);
    }
  });
});
