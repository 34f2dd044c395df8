/** The built server on the wire, in both generations of the protocol. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { makeProject } from "../test-support/project.js";
import { type Answer, startServer, type StartOptions } from "../test-support/server.js";
import { allTools } from "./tool-registry.js";

async function start(options: Partial<StartOptions> = {}) {
  return startServer({ ...(await makeProject()), ...options });
}

/** The version that bundling put in. */
async function pluginVersion(): Promise<string> {
  return JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")).version;
}

function names(answer: Answer): string[] {
  return (answer.result as { tools: { name: string }[] }).tools.map((tool) => tool.name);
}

function initialize(protocolVersion: string) {
  return { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } };
}

describe("the handshake", () => {
  it.each(["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("echoes %s", async (version) => {
    const server = await start({ generation: "raw" });
    const { result } = await server.request("initialize", initialize(version));
    expect(result).toEqual({
      protocolVersion: version,
      capabilities: { tools: {} },
      serverInfo: { name: "t", version: await pluginVersion() },
    });
  });

  it.each(["2026-07-28", "2019-01-01", "1.0"])("answers %s with the newest it shakes hands on", async (version) => {
    const server = await start({ generation: "raw" });
    const { result } = await server.request("initialize", initialize(version));
    expect(result).toMatchObject({ protocolVersion: "2025-11-25" });
  });

  it("may be left out", async () => {
    const server = await start({ generation: "raw" });
    expect(names(await server.request("tools/list"))).toEqual(allTools.map((tool) => tool.name));
    expect(await server.call("shared_memory_list", {})).toEqual({ text: "No shared memory namespaces found.", isError: false });
  });
});

describe("the stateless generation", () => {
  it("is offered when asked for, and then spoken", async () => {
    const server = await start({ generation: "modern" });
    const { result } = await server.request("server/discover");
    const version = await pluginVersion();
    expect(result).toMatchObject({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "t", version } },
    });
    expect(names(await server.request("tools/list"))).toEqual(allTools.map((tool) => tool.name));
    const written = await server.call("shared_memory_write", { key: "k", namespace: "n", value: 1 });
    expect(written).toMatchObject({ isError: false });
  });

  it("gives way to the handshake when the client decides so after asking", async () => {
    const server = await start({ generation: "modern" });
    server.send(JSON.stringify({ jsonrpc: "2.0", id: "late", method: "initialize", params: initialize("2025-06-18") }));
    server.send(JSON.stringify({ jsonrpc: "2.0", id: "list", method: "tools/list" }));
    await expect.poll(() => server.notifications.map((message) => message["id"])).toEqual(["late", "list"]);
    expect(server.notifications[0]).toMatchObject({ result: { protocolVersion: "2025-06-18" } });
  });

  it("acknowledges a subscription, though nothing ever changes", async () => {
    const server = await start({ generation: "modern" });
    void server.request("subscriptions/listen", { notifications: { toolsListChanged: true } }).catch(() => {});
    await expect.poll(() => server.notifications).toMatchObject([{ method: "notifications/subscriptions/acknowledged" }]);
  });
});

describe("requests", () => {
  it("answers ping", async () => {
    const server = await start();
    expect((await server.request("ping")).result).toEqual({});
  });

  it.each(["resources/list", "prompts/list", "logging/setLevel", "no/such"])("has no %s", async (method) => {
    const server = await start();
    expect((await server.request(method, {})).error).toMatchObject({ code: -32601, message: "Method not found" });
  });

  it("answers ids of both kinds as they came", async () => {
    const server = await start();
    expect((await server.request("ping", undefined, "a-1")).id).toBe("a-1");
    expect((await server.request("ping", undefined, 0)).id).toBe(0);
  });

  it.each([
    ["no name", { arguments: {} }],
    ["arguments that are text", { name: "notepad_stats", arguments: "x" }],
    ["arguments that are a list", { name: "notepad_stats", arguments: [] }],
  ])("refuses a call with %s as a matter of protocol", async (_what, params) => {
    const server = await start();
    expect((await server.request("tools/call", params)).error).toMatchObject({ code: -32602 });
  });

  it("survives lines that are no messages", async () => {
    const server = await start();
    for (const line of ["", "{", "[]", "null", '"x"', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '[{"jsonrpc":"2.0","id":8,"method":"ping"}]']) {
      server.send(line);
    }
    server.notify("notifications/unheard-of", { x: 1 });
    expect((await server.request("ping")).result).toEqual({});
    expect(server.noise).toEqual([]);
    const log = server.stderr.split("\n").filter((line) => line !== "");
    expect(new Set(log.slice(1))).toEqual(new Set(["protocol: dropped a line that is no JSON-RPC message"]));
  });
});

describe("calls", () => {
  it("of tools that there are not", async () => {
    const server = await start();
    expect(await server.call("nope", {})).toEqual({ text: "Unknown tool: nope", isError: true });
    expect(await server.call("__proto__", {})).toEqual({ text: "Unknown tool: __proto__", isError: true });
  });

  it("without arguments count as with none", async () => {
    const server = await start();
    expect(await server.call("shared_memory_list")).toMatchObject({ isError: false });
    const refused = await server.call("shared_memory_read");
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("Missing key: expected");
    expect(refused.text).toContain("Missing namespace: expected");
  });

  it("ignore arguments that no schema names", async () => {
    const server = await start();
    expect(await server.call("shared_memory_list", { status: "x", nested: { a: 1 } })).toMatchObject({ isError: false });
  });

  it("cannot be made to tools that OMC_DISABLE_TOOLS names, which are not listed either", async () => {
    const server = await start({ env: { OMC_DISABLE_TOOLS: " Shared-Memory,unknown" } });
    const listed = names(await server.request("tools/list"));
    expect(listed).toEqual(allTools.map((tool) => tool.name).filter((name) => !name.startsWith("shared_memory_")));
    expect(await server.call("shared_memory_list")).toEqual({ text: "Unknown tool: shared_memory_list", isError: true });
  });
});

it("keeps stdout for the protocol and tells on stderr that it runs", async () => {
  const server = await start();
  await server.request("tools/list");
  await server.call("state_write", { mode: "ralph", active: true });
  expect(await server.closeInput()).toEqual({ code: 0, signal: null });
  expect(server.noise).toEqual([]);
  expect(server.stderr.split("\n")).toEqual([
    "OMC Tools MCP Server running on stdio",
    "OMC MCP Server: received stdin end, disconnecting...",
    "",
  ]);
});
