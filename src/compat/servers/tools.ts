/** What a server lists when it is started as the client starts it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { TestServer } from "../../test-support/server.js";
import { type PublicPlugin, QUIET } from "./plugin.js";
import type { PublicServer } from "./table.js";

const CLIENT = { name: "claude-code", version: "2.1.0" };
/** What the client can do, which some servers look at before they list their tools. */
const CAPABILITIES = { roots: { listChanged: true }, elicitation: { form: {}, url: {} } };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
};

/** Starts the file in an empty folder, asks for its tools and ends it. @throws {Error} when it lists none. */
export async function listTools(file: string, { args = [], env = {}, accept = [] }: PublicServer, plugin: PublicPlugin): Promise<unknown[]> {
  const root = join(plugin.folder, "project");
  await mkdir(root, { recursive: true });
  const given = args.map((arg) => arg.replaceAll("${CLAUDE_PROJECT_DIR}", root));
  const server = new TestServer({ root, home: plugin.home, env: { ...QUIET, ...env }, bundle: file, args: given, generation: "raw" });
  try {
    return await converse(server, !accept.includes("unknown-method"));
  } finally {
    await server.kill("SIGKILL");
  }
}

/**
 * The client asks in the new generation of the protocol first, and shakes hands when that is not understood. A server that
 * leaves unknown requests unanswered is not asked.
 */
async function converse(server: TestServer, ask: boolean): Promise<unknown[]> {
  const { result } = ask ? await server.request("server/discover", { _meta: META }) : {};
  const meta = result === undefined ? {} : { _meta: META };
  if (result === undefined) {
    await server.request("initialize", { protocolVersion: "2025-11-25", capabilities: CAPABILITIES, clientInfo: CLIENT });
    server.notify("notifications/initialized");
  }
  const tools: unknown[] = [];
  for (let cursor: unknown, first = true; first || cursor !== undefined; first = false) {
    const answer = await server.request("tools/list", { ...meta, ...(cursor !== undefined && { cursor }) });
    const page = answer.result as { tools: unknown[]; nextCursor?: unknown } | undefined;
    if (page === undefined) throw new Error(`no tools: ${answer.error?.message}`);
    tools.push(...page.tools);
    cursor = page.nextCursor;
  }
  return tools;
}
