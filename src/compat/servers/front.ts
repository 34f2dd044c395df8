/** The lines that a bundle writes while a client starts it, with its front and without. */
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { PublicPlugin } from "./plugin.js";

/** Which public servers get a front, with the variables they ask for; or why not. */
export const fronts: readonly { name: string; env?: readonly string[]; refused?: RegExp }[] = [
  { name: "@antv/mcp-server-chart", env: ["DEBUG", "DISABLED_TOOLS", "FORCE_COLOR", "NO_DEPRECATION", "TRACE_DEPRECATION"] },
  { name: "@modelcontextprotocol/server-sequential-thinking", env: ["DISABLE_THOUGHT_LOGGING", "FORCE_COLOR", "TF_BUILD"] },
  { name: "effect-mcp", refused: /it sends notifications\/tools\/list_changed while it starts/ },
  { name: "@modelcontextprotocol/server-everything", refused: /it asks the client for roots\/list while it starts/ },
];

const LAST = 7;
const START = [
  { jsonrpc: "2.0", id: "first", method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } } },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: LAST, method: "tools/list" },
];

/** Sends the messages of a start, and returns all lines up to the answer to the last. */
export async function startLines(file: string, plugin: PublicPlugin, env: Record<string, string>): Promise<string[]> {
  const cwd = join(plugin.folder, "project");
  await mkdir(cwd, { recursive: true });
  const child = spawn(process.execPath, [file], { cwd, env: { PATH: process.env["PATH"] ?? "", HOME: plugin.home, ...env }, stdio: ["pipe", "pipe", "ignore"] });
  try {
    child.stdin.write(START.map((message) => `${JSON.stringify(message)}\n`).join(""));
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if ((JSON.parse(line) as { id?: unknown }).id === LAST) return lines;
    }
    throw new Error(`the server ended after ${lines.length} lines`);
  } finally {
    child.kill("SIGKILL");
  }
}
