/** Code that has to be stopped, and code that does what it should not: the server, and where possible the variables, survive. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { announced, metaOf, section, startPython, startRunning, until } from "../test-support/python.js";

const FOREVER = "while True: pass";
/** Code that nothing but the end of the interpreter stops. */
const DEAF = "import signal\nfor n in range(1, 65):\n  try: signal.signal(n, signal.SIG_IGN)\n  except Exception: pass\nwhile True: pass";

describe("interrupt", () => {
  test("stops code at once and keeps the variables", async () => {
    const python = await startPython();
    await python.run("kept = 7");
    for (const code of [
      FOREVER,
      "import time; time.sleep(600)",
      "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
      "while True:\n  try:\n    while True: pass\n  except Exception: pass",
    ]) {
      const { answer } = await startRunning(python, code);
      const { text } = await python.call("interrupt");
      expect(text, code).toMatch(
        /^=== Python REPL Interrupt ===\nSession: s\nStatus: interrupt_requested\nTerminated By: graceful\nTermination Time: \d+ms\n/,
      );
      expect(text).toMatch(/\n=== Execution Interrupted ===$/);
      const stopped = await answer;
      expect(stopped.text).toContain("Error Type: KeyboardInterrupt");
      expect(stopped.isError).toBe(false);
      expect(section(await python.run("kept"), "Output")).toBe("7");
    }
  });

  test("ends an interpreter that cannot be stopped otherwise, and says so", async () => {
    const python = await startPython();
    await python.run("lost = 7");
    const { answer } = await startRunning(python, DEAF);
    const { text } = await python.call("interrupt");
    expect(text).toContain("Status: force_killed\nTerminated By: SIGKILL\n");
    expect((await answer).text).toContain("all variables are gone");
    expect(await python.run("lost")).toContain("Error Type: NameError");
  });

  test("stops a bridge that does not answer, from outside", async () => {
    const python = await startPython();
    await python.run("1");
    const { pid } = await metaOf(python);
    const { answer } = await startRunning(python, FOREVER);
    process.kill(pid, "SIGSTOP");
    const { text } = await python.call("interrupt");
    expect(text).toContain("Status: force_killed\nTerminated By: SIGKILL\n");
    expect((await answer).text).toMatch(/^=== Connection Error ===\n/);
    expect(section(await python.run("'again'"), "Output")).toBe("'again'");
  });

  test("is what a cancelled call does", async () => {
    const python = await startPython();
    await python.run("kept = 7");
    const args = { action: "execute", researchSessionID: "s", code: announced(FOREVER) };
    void python.server.request("tools/call", { name: "python_repl", arguments: args }, "run").catch(() => {});
    await until("the code to run", () => existsSync(join(python.project.root, "began")));
    python.server.notify("notifications/cancelled", { requestId: "run", reason: "enough" });
    expect(section(await python.run("kept"), "Output")).toBe("7");
  });
});

describe("while code runs", () => {
  test("get_state answers, and reset does not wait", async () => {
    const python = await startPython();
    await python.run("x = 1");
    const { answer } = await startRunning(python, FOREVER);
    const state = await python.call("get_state");
    expect(section(state.text, "Variables")).toBe("Count: 1\nx");
    expect(section(state.text, "Interpreter")).toMatch(/, running for \d+\.\ds\n/);
    expect((await python.call("reset")).text).toContain("=== Namespace Cleared ===");
    expect((await answer).text).toContain("Error Type: InterpreterReset");
    expect(section((await python.call("get_state")).text, "Variables")).toBe("Count: 0");
  });

  test("get_state answers even when the code never lets go of the interpreter", async () => {
    const python = await startPython();
    await python.run("x = 1");
    const { answer } = await startRunning(python, "import re; re.match('(a+)+$', 'a' * 60 + 'b')");
    const { text } = await python.call("get_state");
    expect(section(text, "Variables")).toContain("Count: 1\nx\n(as of before the running code");
    await python.call("interrupt");
    await answer;
  });

  test("other code of the session waits as long as it may, other sessions do not", async () => {
    const python = await startPython();
    const { answer } = await startRunning(python, FOREVER);
    const busy = await python.call("execute", { code: "1", queueTimeout: 100 });
    expect(busy.text).toMatch(/^=== Session Busy ===\nSession: s\nQueue timeout: 100ms\nHolder PID: \d+\nHost: \S+\nSince: \d{4}-/);
    expect(busy.text).toContain(`Holder PID: ${python.server.pid}\n`);
    expect(busy.isError).toBe(true);
    expect(section(await python.run("2", { researchSessionID: "other" }), "Output")).toBe("2");
    const waiting = python.call("execute", { code: "3" });
    await python.call("interrupt");
    await answer;
    expect(section((await waiting).text, "Output")).toBe("3");
  });
});

describe("the time limit", () => {
  test("counts milliseconds, passes `except Exception` and keeps output and variables", async () => {
    const { run } = await startPython();
    await run("kept = 7");
    const code = "def f():\n  try:\n    while True: pass\n  except Exception: print('swallowed')\nprint('partial')\nf()";
    const text = await run(code, { executionTimeout: 750 });
    expect(text).toContain("Error Type: TimeoutError");
    expect(section(text, "Output")).toBe("partial");
    const seconds = Number(/Duration: ([\d.]+)s/.exec(text)?.[1]);
    expect(seconds).toBeGreaterThanOrEqual(0.75);
    expect(seconds).toBeLessThan(15);
    expect(section(await run("kept"), "Output")).toBe("7");
  });

  test("also holds for code that swallows everything, at the price of the variables", async () => {
    const { run } = await startPython();
    const text = await run(`print('partial')\n${DEAF}`, { executionTimeout: 750 });
    expect(text).toContain("Error Type: TimeoutError");
    expect(text).toContain("Note: the interpreter has ended and all variables are gone");
    expect(section(text, "Output")).toBe("partial");
    expect(section(await run("'again'"), "Output")).toBe("'again'");
  });
});

describe("what else runs code of the user has the same time limit, and keeps the variables:", () => {
  const stuck = "\n    while True: pass\n";
  test.each([
    ["the text of an exception", `class E(Exception):\n  def __str__(self):${stuck}raise E`, "Error Type: E\nMessage: (its text cannot be made"],
    ["a stream's end", `import sys\nclass Stream:\n  def flush(self):${stuck}sys.stdout = Stream()`, "Error Type: TimeoutError"],
    ["code that follows when all signals were blocked", `import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))`, "Execution Complete"],
  ])("%s", async (_, code, expected) => {
    const { run } = await startPython();
    await run("kept = 7");
    expect(await run(code, { executionTimeout: 750 })).toContain(expected);
    expect(await run(FOREVER, { executionTimeout: 100 })).toContain("Error Type: TimeoutError");
    expect(section(await run("kept"), "Output")).toBe("7");
  });
});

describe("hostile code", () => {
  test("that the interpreter survives", async () => {
    const { run } = await startPython();
    await run("kept = 7");
    for (const [code, expected] of [
      ["raise BaseException('x')", "Error Type: BaseException\nMessage: x\n"],
      ["import sys; sys.exit(3)", "Error Type: SystemExit\nMessage: 3\n"],
      ["def f(): f()\nf()", "Error Type: RecursionError"],
      ["import os; os.close(1)", "Execution Complete"],
      ["import os; os.close(2); os.close(0)", "Execution Complete"],
      ["import sys; sys.stdout = sys.stderr = None", "Execution Complete"],
      ["import sys; sys.stdout.close()", "Execution Complete"],
      ["import os\nif os.fork() == 0: raise SystemExit", "Execution Complete"],
      ["import os\npid = os.fork()", "Execution Complete"],
      ["import threading\nstop = threading.Event()\nthreading.Thread(target=stop.wait).start()", "Execution Complete"],
      ["class E(Exception):\n  def __str__(self): raise BaseException\nraise E", "Error Type: E\n"],
      ["class R:\n  def __repr__(self): raise BaseException('r')\nR()", "Error Type: BaseException\nMessage: r\n"],
      ["bytearray(10 ** 15)", "Error Type: MemoryError"],
      ["import json; json.dumps = json.loads = None", "Execution Complete"],
      ["import builtins; builtins.print = builtins.open = None", "Execution Complete"],
    ] as const) {
      expect(await run(code), code).toContain(expected);
    }
    expect(section(await run("kept"), "Output")).toBe("7");
  });

  test("that ends the interpreter ends only that, and the output until then is there", async () => {
    const { call, run } = await startPython();
    for (const [code, reason] of [
      ["import os; os._exit(3)", "exit code 3"],
      ["import os; os.kill(os.getpid(), 9)", "signal 9 (SIGKILL)"],
      ["import ctypes; ctypes.string_at(0)", "signal 11 (SIGSEGV)"],
      ["import os; os.closerange(0, 65536)", "the interpreter ended"],
    ] as const) {
      await run("lost = 7");
      const { text, isError } = await call("execute", { code: `print('until then')\n${code}` });
      expect(text, code).toContain("Error Type: InterpreterExited\nMessage: the interpreter ended");
      expect(text).toContain(reason);
      expect(section(text, "Output")).toBe("until then");
      expect(isError).toBe(true);
      expect(await run("lost")).toContain("Error Type: NameError");
    }
  });

  test("cannot write what the bridge trips over", async () => {
    const python = await startPython();
    await python.run("1");
    const { pid } = await metaOf(python);
    for (const line of ["b'{\"variable_count\": Infinity}\\n'", "b'[' * 200000 + b'\\n'"]) {
      await python.run(`import os\nfor n in range(3, 40):\n  try: os.write(n, ${line})\n  except OSError: pass`);
      expect(section(await python.run("'again'"), "Output")).toBe("'again'");
      expect((await metaOf(python)).pid).toBe(pid);
    }
  });

  test("has no halves of characters in what is told of it", async () => {
    const { run } = await startPython();
    expect(await run("raise ValueError('\\ud800')")).toContain("Message: \\ud800\n");
  });

  test("cannot speak for the interpreter", async () => {
    const { run, project } = await startPython();
    await writeFile(join(project.root, "json.py"), "raise SystemExit('not this one')\n");
    const text = await run("import os\nfor n in range(3, 40):\n  try: os.write(n, b'{\"done\": \"x\"}\\n\\xff[]\\n')\n  except OSError: pass");
    expect(text).toMatch(/=== Execution (?:Complete|Failed) ===$/);
    expect(section(await run("'again'"), "Output")).toBe("'again'");
  });
});
