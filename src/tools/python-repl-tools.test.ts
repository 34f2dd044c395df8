/** `python_repl` as a caller sees it, when all goes well and when the call is wrong. */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { zodToJsonSchema } from "../mcp/json-schema.js";
import { metaOf, processesWith, section, sessionFolder, startPython } from "../test-support/python.js";
import { pythonReplTool } from "./python-repl-tools.js";

describe("what is served", () => {
  const { properties, required } = zodToJsonSchema(pythonReplTool.schema);

  test("the arguments that it always took, with their limits", () => {
    expect(Object.keys(properties).join(" ")).toBe(
      "action researchSessionID code executionLabel executionTimeout queueTimeout projectDir",
    );
    expect(required).toEqual(["action", "researchSessionID"]);
    expect(properties["action"]?.["enum"]).toEqual(["execute", "interrupt", "reset", "get_state"]);
    expect(properties["researchSessionID"]).toMatchObject({ minLength: 1, maxLength: 255 });
    for (const name of ["executionTimeout", "queueTimeout"]) {
      expect(properties[name]).toMatchObject({ type: "number", exclusiveMinimum: 0, maximum: 3_600_000 });
      expect(properties[name]).not.toHaveProperty("default");
    }
    for (const field of Object.values(properties)) expect(field["description"]).toMatch(/\.$/);
  });

  test("all four hints", () => {
    expect(pythonReplTool.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
  });
});

describe("execute", () => {
  test("shows output, the last value, markers, time and memory, and keeps variables", async () => {
    const { call } = await startPython();
    const first = await call("execute", {
      code: "import statistics, sys\nx = [1, 2, 6]\nprint('[STAT:mean]', statistics.mean(x))\nprint('warned', file=sys.stderr)\nlen(x)",
      executionLabel: "means",
    });
    expect(first.isError).toBe(false);
    expect(first.text).toMatch(/^=== Python REPL Execution ===\nSession: s\nLabel: means\nExecution #: 1\n/);
    expect(section(first.text, "Output")).toBe("[STAT:mean] 3\n3");
    expect(section(first.text, "Errors")).toBe("warned");
    expect(section(first.text, "Markers")).toBe("[STAT:mean] 3  (calculations)");
    expect(section(first.text, "Timing")).toMatch(/^Duration: \d+\.\d{3}s\nStarted: \d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(section(first.text, "Memory")).toMatch(/^RSS: [1-9]\d*\.\d MB\nVMS: [1-9]\d*\.\d MB$/);
    expect(first.text).toMatch(/\n=== Execution Complete ===$/);
    const { text } = await call("execute", { code: "_ + sum(x)" });
    expect(text).toContain("Execution #: 2");
    expect(section(text, "Output")).toBe("12");
  });

  test("a marker without a text leaves the next line alone, and unknown ones are said to be", async () => {
    const { run } = await startPython();
    const text = await run("print('[DATA]')\nprint('plain')\nprint('[NEXT-STEP] go')\nprint('[FOO] bar')");
    expect(section(text, "Markers")).toBe("[DATA]   (data_operations)\n[NEXT_STEP] go  (scientific)\n[FOO] bar  (unknown type)");
  });

  test("an exception is told with the lines of the code and no others, and is no error of the tool", async () => {
    const { call } = await startPython();
    await call("execute", { code: "import json\ndef load(text):\n    return json.loads(text)" });
    const { text, isError } = await call("execute", { code: "print('before')\nload('{')" });
    expect(isError).toBe(false);
    expect(section(text, "Output")).toBe("before");
    expect(text).toContain("=== Execution Failed ===\nError Type: JSONDecodeError\nMessage: Expecting property name");
    expect(text).toContain('File "<gyoshu:2>", line 2, in <module>\n    load(\'{\')');
    expect(text).toContain('File "<gyoshu:1>", line 3, in load\n    return json.loads(text)');
    expect(text).toMatch(/File "[^"/]*json\/decoder\.py"/);
    expect(text).not.toMatch(/gyoshu_|File "\//);
    expect(text).toMatch(/\n=== Execution Failed ===$/);
    const broken = await call("execute", { code: "x = (" });
    expect(broken.text).toContain("Error Type: SyntaxError");
    expect(broken.isError).toBe(false);
  });

  test("the working directory is the project, whose modules can be imported", async () => {
    const { run, project } = await startPython();
    await writeFile(join(project.root, "mine.py"), "value = 42\n");
    expect(section(await run("import mine, os\nos.getcwd(), mine.value"), "Output")).toBe(`('${project.root}', 42)`);
  });

  test("awaits at the top level, pickles what is defined here, and reads no input", async () => {
    const { run } = await startPython();
    expect(section(await run("import asyncio\nawait asyncio.sleep(0, 'slept')"), "Output")).toBe("'slept'");
    expect(section(await run("import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))).__name__"), "Output")).toBe("'A'");
    expect(section(await run("__name__, sorted(get_memory()), sorted(clean_memory())"), "Output")).toBe(
      "('__gyoshu__', ['rss_mb', 'vms_mb'], ['rss_mb', 'vms_mb'])",
    );
    expect(await run("input()")).toContain("Error Type: EOFError");
  });

  test("what programs print that the code starts is collected too", async () => {
    const { run } = await startPython();
    const text = await run("import subprocess\nprint('first')\nsubprocess.run(['sh', '-c', 'echo out; echo err >&2']).returncode");
    expect(section(text, "Output")).toBe("first\nout\n0");
    expect(section(text, "Errors")).toBe("err");
  });

  test("secrets of the server's environment are not passed on", async () => {
    const { run } = await startPython({ API_TOKEN: "secret", OMC_X: "1", LC_ALL: "C.UTF-8" });
    expect(section(await run("import os\n[os.environ.get(n) for n in ('API_TOKEN', 'OMC_X', 'OMC_BRIDGE_TOKEN', 'LC_ALL')]"), "Output")).toBe(
      "[None, None, None, 'C.UTF-8']",
    );
  });
});

describe("output", () => {
  test("long output is shown in part and kept whole in a file of this user's", async () => {
    const { run } = await startPython();
    const text = await run("print('é' * 400000)");
    expect(text).not.toContain("\u{fffd}");
    expect(Buffer.byteLength(text)).toBeLessThan(40_000);
    const [, left, file] = /\[\.\.\. (\d+) of 800001 bytes left out; the whole output is in (\S+) \.\.\.\]/.exec(text) ?? [];
    expect(Number(left)).toBeGreaterThan(700_000);
    expect(await readFile(file as string, "utf8")).toBe(`${"é".repeat(400_000)}\n`);
    expect((await stat(file as string)).mode & 0o777).toBe(0o600);
    await run("print('other' * 10000)");
    expect(await readFile(file as string, "utf8")).toHaveLength(400_001);
  });

  test("a hundred megabytes, and control characters, do no harm", async () => {
    const { run } = await startPython();
    const text = await run("for i in range(1000): print('y' * 99999)\nprint('the end')");
    expect(text).toContain("the end\n");
    expect(text).toContain("of 100000008 bytes left out");
    expect(text).toContain("(stdout was truncated)");
    const control = await run("print('\\x01' * 600000)");
    expect(control).toContain("of 600001 bytes left out");
    expect(control).toContain("=== Execution Complete ===");
  });

  test("a long value and a long message are cut", async () => {
    const { run } = await startPython();
    expect((await run("list(range(100000))")).length).toBeLessThan(12_000);
    expect((await run("raise ValueError('v' * 100000)")).length).toBeLessThan(32_000);
  });
});

describe("get_state and reset", () => {
  test("names the variables, and starts nothing for a session that does not run", async () => {
    const python = await startPython();
    for (const [action, anchor] of [
      ["get_state", "=== State Retrieved ==="],
      ["reset", "=== Namespace Cleared ==="],
      ["interrupt", "=== Execution Interrupted ==="],
    ] as const) {
      const { text, isError } = await python.call(action);
      expect([text.split("\n").at(-1), isError]).toEqual([anchor, false]);
    }
    expect(await processesWith(python.runtime)).toEqual([]);
    await python.run(`${Array.from({ length: 12 }, (_, n) => `v${n} = ${n}`).join("\n")}\n_hidden = 1`);
    const { text } = await python.call("get_state");
    expect(text).toMatch(/^=== Python REPL State ===\nSession: s\n/);
    expect(section(text, "Variables")).toBe("Count: 12\nv0, v1, v2, v3, v4, v5, v6, v7, v8, v9\nv10, v11");
    expect(section(text, "Memory")).toMatch(/^RSS: [1-9]\d*\.\d MB/);
    expect(section(text, "Interpreter")).toMatch(/^Python: 3\.\d+\.\d+, idle after 1 executions\n/);
    expect(text).toMatch(/\n=== State Retrieved ===$/);
  });

  test("reset forgets variables, modules and the count", async () => {
    const { call, run } = await startPython();
    await run("import math\nx = 1");
    const { text } = await call("reset");
    expect(text).toMatch(/^=== Python REPL Reset ===\nSession: s\nStatus: reset\n\n--- Memory After Reset ---\nRSS: /);
    const after = await run("[n for n in dir() if not n.startswith('_')]");
    expect(after).toContain("Execution #: 1");
    expect(section(after, "Output")).toBe("['clean_memory', 'get_memory']");
  });
});

describe("wrong calls", () => {
  test("are refused, with nothing run, and the server lives on", async () => {
    const { server, run } = await startPython();
    const execute = { action: "execute", researchSessionID: "s", code: "1" };
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ ...execute, code: undefined }, /^=== Missing Code ===\n/],
      [{ ...execute, code: " \n" }, /^=== Missing Code ===\n/],
      [{ ...execute, researchSessionID: "../x" }, /^=== Invalid Session ID ===\n/],
      [{ ...execute, executionTimeout: 0 }, /Invalid executionTimeout/],
      [{ ...execute, queueTimeout: -1 }, /Invalid queueTimeout/],
      [{ ...execute, action: undefined }, /Missing action/],
      [{ ...execute, projectDir: "/srv/none" }, /^=== Validation Error ===\nprojectDir '\/srv\/none' is not an existing folder/],
      [{ ...execute, projectDir: "/etc/passwd" }, /^=== Validation Error ===\n/],
    ];
    for (const [args, expected] of wrong) {
      const { text, isError } = await server.call("python_repl", args);
      expect(text).toMatch(expected);
      expect(isError).toBe(true);
    }
    expect(await run("1")).toContain("Execution #: 1");
  });

  test("another projectDir than the running session's is told, and taken up by a reset", async () => {
    const { project, call, run } = await startPython();
    const other = join(project.folder, "other");
    await mkdir(other);
    await run("1");
    const told = await run("import os\nos.getcwd()", { projectDir: other });
    expect(told).toContain(`Note: this session works in ${project.root}; projectDir ${other} was not used.`);
    expect(section(told, "Output")).toBe(`'${project.root}'`);
    expect((await call("reset", { projectDir: other })).text).toMatch(/^=== Bridge Restarted ===\n/);
    expect(section(await run("import os\nos.getcwd()", { projectDir: other }), "Output")).toBe(`'${other}'`);
  });
});

test("the files of a session are where other programs look, and for this user only", async () => {
  const python = await startPython();
  await python.run("1");
  const folder = sessionFolder(python);
  expect((await readdir(folder)).toSorted()).toEqual(["bridge.sock", "bridge_meta.json", "tmp"]);
  const meta = await metaOf(python);
  expect(meta).toMatchObject({
    pid: expect.any(Number),
    socketPath: join(folder, "bridge.sock"),
    sessionId: "s",
    processStartTime: expect.any(Number),
    pythonEnv: { type: "venv", pythonPath: expect.stringMatching(/python3$/) },
  });
  expect(new Date(meta["startedAt"] as string).toISOString()).toBe(meta["startedAt"]);
  for (const name of ["bridge.sock", "bridge_meta.json"]) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  for (const path of [folder, python.runtime]) expect((await stat(path)).mode & 0o777).toBe(0o700);
  await python.server.closeInput();
  expect(await readdir(folder)).toEqual([]);
});
