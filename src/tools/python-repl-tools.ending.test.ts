/** What remains when servers, bridges and interpreters end, however they do: no process, and no session that stays locked. */
import { chmod, copyFile, mkdir, readdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { metaOf, processesWith, type PythonServer, section, sessionFolder, startPython, startRunning, until } from "../test-support/python.js";

/** A loop, and children that have left the process group and know no parent. */
const BUSY = "import subprocess\nfor n in range(2):\n  subprocess.run(['sh', '-c', 'setsid sleep 987 &'])\nwhile True: pass";

/** All processes of a session: the bridge, the keeper, the interpreter and what the code has started. */
async function familyOf(python: PythonServer): Promise<number[]> {
  const { pid } = await metaOf(python);
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, "utf8").catch(() => "") : "";
    if (stat !== "") parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
  }
  const family = [pid];
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family;
}

async function alive(pids: readonly number[]): Promise<number[]> {
  const states = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")));
  return pids.filter((_, at) => states[at] !== "" && !/\) [ZX] /.test(states[at] as string));
}

describe("nothing outlives the server", () => {
  const ends: [string, (python: PythonServer) => unknown][] = [
    ["SIGTERM", ({ server }) => server.kill("SIGTERM")],
    ["SIGINT", ({ server }) => server.kill("SIGINT")],
    ["SIGKILL", ({ server }) => server.kill("SIGKILL")],
    ["the end of its input", ({ server }) => server.closeInput()],
  ];
  test.each(ends)("after %s while code runs", async (_, end) => {
    const python = await startPython();
    const { answer } = await startRunning(python, BUSY);
    answer.catch(() => {});
    await until("the code's children", async () => (await familyOf(python)).length >= 5);
    const family = await familyOf(python);
    const began = Date.now();
    await end(python);
    await until("the end of all processes", async () => (await alive(family)).length === 0);
    expect(Date.now() - began).toBeLessThan(5_000);
    expect(await readdir(sessionFolder(python))).toEqual(expect.not.arrayContaining(["bridge.sock", "bridge_meta.json"]));
  });

  test("after the bridge itself is killed", async () => {
    const python = await startPython();
    const { answer } = await startRunning(python, BUSY);
    await until("the code's children", async () => (await familyOf(python)).length >= 5);
    const family = await familyOf(python);
    process.kill(family[0] as number, "SIGKILL");
    await until("the end of all processes", async () => (await alive(family)).length === 0);
    expect((await answer).text).toMatch(/^=== Connection Error ===\n/);
    const text = await python.run("'again'");
    expect(section(text, "Output")).toBe("'again'");
  });

  test("what code has started ends with a reset", async () => {
    const python = await startPython();
    await python.run("import subprocess\nsubprocess.Popen(['setsid', 'sleep', '987'])");
    const [bridge, ...rest] = await familyOf(python);
    await python.call("reset");
    expect(await alive(rest)).toEqual([]);
    expect(await alive([bridge as number])).toEqual([bridge]);
  });
});

describe("a hook that ends sessions", () => {
  test("by SIGINT, when nothing runs", async () => {
    const python = await startPython();
    await python.run("x = 1");
    const family = await familyOf(python);
    process.kill(-(family[0] as number), "SIGINT");
    await until("the end of all processes", async () => (await alive(family)).length === 0);
    expect(await readdir(sessionFolder(python))).toEqual([]);
    expect(await python.run("x")).toContain("Note: the session's interpreter had ended");
  });

  test("by SIGINT, which stops running code, and SIGTERM", async () => {
    const python = await startPython();
    const { answer } = await startRunning(python, "while True: pass");
    const family = await familyOf(python);
    process.kill(-(family[0] as number), "SIGINT");
    expect((await answer).text).toContain("Error Type: KeyboardInterrupt");
    process.kill(-(family[0] as number), "SIGTERM");
    await until("the end of all processes", async () => (await alive(family)).length === 0);
    await until("the removal of the lock and the rest", async () => (await readdir(sessionFolder(python))).length === 0);
  });
});

describe("two servers", () => {
  test("share a session, one execution at a time, until the one that started it ends", async () => {
    const one = await startPython();
    await one.run("x = 1");
    const two = await startPython({}, one);
    expect(section(await two.run("x"), "Output")).toBe("1");
    const { answer } = await startRunning(one, "while True: pass");
    expect((await two.call("execute", { code: "x", queueTimeout: 200 })).text).toContain(`Holder PID: ${one.server.pid}\n`);
    expect((await two.call("interrupt")).text).toContain("Terminated By: graceful");
    await answer;
    await one.server.kill("SIGKILL");
    await until("the end of the bridge", async () => (await processesWith(one.runtime)).length === 0);
    const text = await two.run("x");
    expect(text).toContain("Note: the session's interpreter had ended, so this ran in a new one");
    expect(text).toContain("Error Type: NameError");
  });

  test("many calls at once all run", async () => {
    const one = await startPython();
    const two = await startPython({}, one);
    await one.run("n = 0");
    const calls = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : two).run("n += 1"));
    for (const text of await Promise.all(calls)) expect(text).toContain("=== Execution Complete ===");
    expect(section(await two.run("n"), "Output")).toBe("20");
  });
});

describe("a lock that was left behind", () => {
  const dead = { lockId: "x", pid: 4_194_304 - 7, processStartTime: 1, hostname: "h", acquiredAt: "2020-01-01T00:00:00.000Z" };
  test("by the dead, empty or half written, does not stop anybody", async () => {
    const python = await startPython();
    const folder = sessionFolder(python);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const reused = { ...dead, pid: process.pid };
    for (const text of [JSON.stringify(dead), JSON.stringify(reused), "", '{"lockId": "x", "pid": 1']) {
      await writeFile(join(folder, "session.lock"), text);
      await utimes(join(folder, "session.lock"), new Date(0), new Date(0));
      expect(section(await python.run("'ran'", { queueTimeout: 5_000 }), "Output"), text).toBe("'ran'");
      expect(await readdir(folder)).not.toContain("session.lock");
    }
  });

  test("as a link is not followed", async () => {
    const python = await startPython();
    const folder = sessionFolder(python);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const target = join(python.project.folder, "precious");
    await writeFile(target, "kept");
    await symlink(target, join(folder, "session.lock"));
    expect(section(await python.run("'ran'", { queueTimeout: 5_000 }), "Output")).toBe("'ran'");
    expect(await readFile(target, "utf8")).toBe("kept");
  });
});

describe("a bridge that does not start", () => {
  test("because its folder cannot be made is told as that, not as busy", async () => {
    const python = await startPython();
    await mkdir(python.runtime, { mode: 0o700 });
    await writeFile(sessionFolder(python), "in the way");
    const { text, isError } = await python.call("execute", { code: "1", queueTimeout: 1_000 });
    expect(isError).toBe(true);
    expect(text).not.toContain("Session Busy");
    expect(text).not.toContain(python.project.folder);
    expect(text).not.toMatch(/\n\s+at /);
  });

  test("is told, and the session is not locked afterwards", async () => {
    const python = await startPython({ PATH: "/srv/none" });
    for (let time = 0; time < 2; time++) {
      const { text, isError } = await python.call("execute", { code: "1", queueTimeout: 1_000 });
      expect(text).toBe("=== Bridge Startup Failed ===\npython3 was not found on PATH; install Python 3.8 or newer.\nNothing was run.");
      expect(isError).toBe(true);
    }
  });

  test("because the program is none, costs only that call", async () => {
    const bin = join((await startPython()).project.folder, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "python3"), "#!/srv/no/such/interpreter\n");
    await chmod(join(bin, "python3"), 0o755);
    const python = await startPython({ PATH: bin });
    for (let time = 0; time < 2; time++) {
      const { text } = await python.call("execute", { code: "1", queueTimeout: 1_000 });
      expect(text).toContain("=== Bridge Startup Failed ===\nPython could not be started (ENOENT).");
    }
    expect((await python.call("get_state")).isError).toBe(false);
  });

  test("because another script is named, is told", async () => {
    const python = await startPython({ OMC_BRIDGE_SCRIPT: "/etc/passwd" });
    expect((await python.call("execute", { code: "1" })).text).toContain("OMC_BRIDGE_SCRIPT must name an existing file called gyoshu_bridge.py");
  });
});

describe("a record that is not to be trusted", () => {
  test.each([
    ["of another process", (meta: object) => JSON.stringify({ ...meta, pid: process.pid })],
    ["of another session", (meta: object) => JSON.stringify({ ...meta, sessionId: "other" })],
    ["of another socket", (meta: object) => JSON.stringify({ ...meta, socketPath: "/srv/evil.sock" })],
    ["without a start time", (meta: object) => JSON.stringify({ ...meta, processStartTime: undefined })],
    ["that is no JSON", () => "{"],
  ])("%s is not followed, and no bridge is left", async (_, forge) => {
    const one = await startPython();
    await one.run("x = 1");
    const path = join(sessionFolder(one), "bridge_meta.json");
    const before = await processesWith(one.runtime);
    await copyFile(path, `${path}.real`);
    await writeFile(path, forge(JSON.parse(await readFile(path, "utf8")) as object));
    expect(section(await one.run("x"), "Output")).toBe("1"); // its own bridge, whatever the record says
    const two = await startPython({}, one);
    expect(await two.run("x")).toContain("Error Type: NameError");
    await until("the end of the bridge that lost its socket", async () => (await alive(before)).length === 0);
  });
});

test("what bridges have left that could not tidy up is removed, and nothing else", async () => {
  const one = await startPython();
  await one.run("print('x' * 40000)", { researchSessionID: "left" });
  await one.run("x = 1", { researchSessionID: "alive" });
  const left = sessionFolder(one, "left");
  const { pid } = await metaOf(one, "left");
  process.kill(pid, "SIGKILL");
  await until("the end of the bridge", async () => (await alive([pid])).length === 0);
  expect((await readdir(left)).toSorted()).toEqual(["bridge.sock", "bridge_meta.json", "output-stdout-1.txt", "tmp"]);
  await writeFile(join(left, "mine.txt"), "kept");
  const two = await startPython({}, one);
  await two.run("1");
  await until("the sweep", async () => (await readdir(left)).join() === "mine.txt");
  expect(section(await two.run("x", { researchSessionID: "alive" }), "Output")).toBe("1");
});
