import * as z from "zod";
import { afterEach, describe, expect, it, vi } from "vitest";
import { defineTool, fail, ok, type ToolContext, type ToolResult } from "../tools/types.js";
import { Calls } from "./calls.js";
import { callTool, checkNames, createServer } from "./frame.js";
import { pluginVersion } from "./plugin-version.js";

const context: ToolContext = { signal: new AbortController().signal };

function toolThat(handler: (args: { n: number }, context: ToolContext) => Promise<ToolResult>) {
  return defineTool({
    name: "notepad_sample",
    description: "",
    schema: z.object({ n: z.int().max(9) }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    handler,
  });
}

function call(handler: (args: { n: number }, context: ToolContext) => Promise<ToolResult>, args: unknown = { n: 1 }) {
  return callTool("notepad_sample", args, context, [toolThat(handler)]);
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe("the answer to a call", () => {
  it("is the handler's, with isError always there", async () => {
    expect(await call(async ({ n }) => ok(`n is ${n}`))).toEqual({ content: [{ type: "text", text: "n is 1" }], isError: false });
    expect(await call(async () => fail("no"))).toEqual({ content: [{ type: "text", text: "no" }], isError: true });
    expect(await call(async () => ({ content: [{ type: "text", text: "x" }] }))).toMatchObject({ isError: false });
  });

  it("has nothing but the two fields", async () => {
    const extra = { ...ok("x"), structuredContent: {}, _meta: {} };
    expect(Object.keys(await call(async () => extra))).toEqual(["content", "isError"]);
  });

  it("has no halves of characters", async () => {
    expect(await call(async () => ok("\ud83d\ude00 \ud83d \ude00"))).toMatchObject({ content: [{ text: "\ud83d\ude00 \ufffd \ufffd" }] });
  });

  it("names an unknown tool", async () => {
    expect(await callTool("nope", {}, context, [])).toEqual({ content: [{ type: "text", text: "Unknown tool: nope" }], isError: true });
    const { content } = await callTool("x".repeat(10_000), {}, context, []);
    expect(content[0].text).toBe(`Unknown tool: ${"x".repeat(300)}… (10000 characters)`);
  });

  it("says the same of a disabled tool, as the variable is at that moment", async () => {
    vi.stubEnv("OMC_DISABLE_TOOLS", "notepad");
    expect(await call(async () => ok("x"))).toMatchObject({ content: [{ text: "Unknown tool: notepad_sample" }], isError: true });
    vi.stubEnv("OMC_DISABLE_TOOLS", "");
    expect(await call(async () => ok("x"))).toMatchObject({ content: [{ text: "x" }], isError: false });
  });

  it("refuses bad arguments before the handler runs", async () => {
    const handler = vi.fn(async () => ok("x"));
    const refused = await call(handler, { n: 10 });
    expect(refused.content[0].text).toContain("Invalid n: expected a number of at most 9, got 10");
    expect(refused.isError).toBe(true);
    expect(handler).not.toHaveBeenCalled();
  });

  it("turns a throw into its message", async () => {
    const thrown = await call(async () => {
      throw new Error("the disk is full");
    });
    expect(thrown).toEqual({ content: [{ type: "text", text: "Error: the disk is full" }], isError: true });
  });

  it("shows a mistake of ours only by its kind and logs the rest", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const thrown = await call(async () => (undefined as unknown as { x: () => ToolResult }).x());
    expect(thrown.content[0].text).toBe("Error: internal error (TypeError); the server's stderr has the details");
    expect(String(write.mock.calls[0]?.[0])).toMatch(/^notepad_sample: TypeError: .*\n\s+at /);
  });

  it("hands the signal on", async () => {
    const seen = await call(async (_args, { signal }) => ok(String(signal === context.signal)));
    expect(seen.content[0].text).toBe("true");
  });
});

describe("the server", () => {
  it("does not start with two tools of one name", () => {
    const tool = toolThat(async () => ok(""));
    expect(() => checkNames([tool, tool])).toThrow("two tools are named 'notepad_sample'");
    expect(() => checkNames()).not.toThrow();
  });

  it("has a version even when it was not bundled", () => {
    expect(pluginVersion()).toBe("0.0.0-unbundled");
    expect(createServer(new Calls(), () => {}).getCapabilities()).toEqual({ tools: {} });
  });
});

describe("calls under way", () => {
  it("are waited for, but not for ever", async () => {
    const calls = new Calls();
    await calls.settle(60_000);
    let finish: (value: string) => void = () => {};
    const tracked = calls.track(new Promise<string>((resolve) => (finish = resolve)));
    await calls.settle(1);
    const settled = calls.settle(60_000);
    finish("done");
    await settled;
    expect(await tracked).toBe("done");
  });

  it("count as ended when they fail", async () => {
    const calls = new Calls();
    await expect(calls.track(Promise.reject(new Error("x")))).rejects.toThrow("x");
    await calls.settle(60_000);
  });
});
