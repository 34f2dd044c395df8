/** The SDK's own client against the built server: it judges every answer by the protocol's schemas. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeProject } from "../test-support/project.js";
import { bundlePath } from "../test-support/server.js";
import { allTools } from "./tool-registry.js";

async function connect(mode: "legacy" | "auto" | { pin: string }) {
  const { root, home } = await makeProject();
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bundlePath()], cwd: root, env, stderr: "ignore" }));
  return client;
}

describe.each([
  ["legacy", "legacy", "2025-11-25"],
  ["auto", "auto", "2026-07-28"],
  ["pinned", { pin: "2026-07-28" }, "2026-07-28"],
] as const)("a client that negotiates %s", (_name, mode, version) => {
  it("lists, calls and closes", async () => {
    const client = await connect(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()?.name).toBe("t");
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(allTools.map((tool) => tool.name));
    const written = await client.callTool({ name: "shared_memory_write", arguments: { key: "k", namespace: "n", value: { a: 1 } } });
    expect(written).toMatchObject({ isError: false });
    const refused = await client.callTool({ name: "shared_memory_write", arguments: { key: "../k", namespace: "n" } });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("Invalid key: ") }] });
    await client.close();
  });
});
