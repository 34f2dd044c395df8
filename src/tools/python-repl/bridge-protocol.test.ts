/** The bridge's protocol, spoken by hand on its socket, as other clients do. */
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { metaOf, type PythonServer, startPython, startRunning } from "../../test-support/python.js";

interface Answer {
  jsonrpc: string;
  id: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** Sends text on a connection of its own and returns the first line that comes back. */
async function say(python: PythonServer, text: string): Promise<Answer> {
  const { socketPath } = (await metaOf(python)) as unknown as { socketPath: string };
  const socket = connect(socketPath);
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  let heard = "";
  for await (const chunk of socket.setEncoding("utf8")) {
    heard += chunk as string;
    if (heard.includes("\n")) break;
  }
  return JSON.parse(heard) as Answer;
}

const request = (method: string, params?: unknown) => `${JSON.stringify({ jsonrpc: "2.0", id: "7", method, params })}\n`;

async function started(): Promise<PythonServer> {
  const python = await startPython();
  await python.run("x = 1");
  return python;
}

describe("answers", () => {
  test("have the fields that clients read", async () => {
    const python = await started();
    expect(await say(python, request("ping"))).toMatchObject({ jsonrpc: "2.0", id: "7", result: { status: "ok", timestamp: expect.any(Number) } });
    const memory = { rss_mb: expect.any(Number), vms_mb: expect.any(Number) };
    const good = await say(python, request("execute", { code: "import sys\nprint('[STAT:n] 1')\nprint('e', file=sys.stderr)", timeout: 5 }));
    expect(good.result).toMatchObject({
      success: true,
      stdout: "[STAT:n] 1\n",
      stderr: "e\n",
      stdout_truncated: false,
      stderr_truncated: false,
      markers: [{ type: "STAT", subtype: "n", content: "1", line_number: 1, category: "calculations", valid: true }],
      timing: { started_at: expect.any(String), duration_ms: expect.any(Number) },
      memory,
    });
    const bad = await say(python, request("execute", { code: "1/0" }));
    expect(bad.result).toMatchObject({ success: false, error: { type: "ZeroDivisionError", message: "division by zero" } });
    expect((await say(python, request("get_state"))).result).toMatchObject({ memory, variables: ["x", "sys"], variable_count: 2 });
    expect((await say(python, request("interrupt"))).result).toMatchObject({ status: "interrupt_requested" });
    expect((await say(python, request("reset"))).result).toMatchObject({ status: "reset", memory });
  });

  test("to broken requests are errors, and the bridge stays", async () => {
    const python = await started();
    for (const [text, code] of [
      ["nonsense\n", -32700],
      [`${"[".repeat(100_000)}\n`, -32700],
      ["[]\n", -32600],
      ['{"id": 1, "method": "ping"}\n', -32600],
      [request("dance"), -32601],
      [request("execute", { code: 1 }), -32602],
      [request("execute", { code: "1", timeout: 0 }), -32602],
      [request("execute", { code: "1", timeout: "soon" }), -32602],
      [request("ping", []), -32602],
      ["x".repeat(10 * 1024 * 1024 + 2), -32600],
    ] as const) {
      expect((await say(python, text)).error?.code, text.slice(0, 40)).toBe(code);
    }
    expect((await say(python, request("get_state"))).result).toMatchObject({ variables: ["x"] });
  });

  test("to heavy output stay below two megabytes", async () => {
    const python = await started();
    const code = "import sys\nprint('\\x01' * 2000000)\nprint('é' * 2000000, file=sys.stderr)";
    const { result } = await say(python, request("execute", { code }));
    expect(JSON.stringify(result).length).toBeLessThan(2 * 1024 * 1024);
    expect(result).toMatchObject({ stdout_truncated: true, stderr_truncated: true });
    expect(`${result?.["stdout"]}${result?.["stderr"]}`).not.toContain("\u{fffd}");
  });
});

test("code that comes while other code runs is run after it", async () => {
  const python = await started();
  const { answer } = await startRunning(python, "import time\ntime.sleep(0.2)\nx = 2");
  expect((await say(python, request("execute", { code: "x" }))).result).toMatchObject({ success: true, stdout: "2\n" });
  await answer;
});

test("a client that goes away while its code runs does not matter", async () => {
  const python = await started();
  const { socketPath } = (await metaOf(python)) as unknown as { socketPath: string };
  const socket = connect(socketPath);
  await new Promise<void>((resolve) => void socket.end(request("execute", { code: "x = 3" }), resolve));
  socket.destroy();
  expect((await say(python, request("execute", { code: "x" }))).result).toMatchObject({ success: true });
});
