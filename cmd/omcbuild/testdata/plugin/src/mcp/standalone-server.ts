import { createInterface } from "node:readline";
import { allTools } from "./tool-registry.js";

declare const __PLUGIN_VERSION__: string;

interface Request {
  id?: string | number;
  method: string;
  params?: { protocolVersion?: string; name?: string; arguments?: Record<string, unknown> };
}

const modern = "2026-07-28";
const serverInfo = { name: "acorn", version: __PLUGIN_VERSION__ };

function answer(request: Request): Record<string, unknown> {
  switch (request.method) {
    case "server/discover":
      return {
        result: {
          resultType: "complete",
          supportedVersions: [modern],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: "private",
          _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
        },
      };
    case "initialize":
      return { result: { protocolVersion: request.params?.protocolVersion ?? "2025-11-25", capabilities: { tools: {} }, serverInfo } };
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: { tools: allTools.map(({ handler, ...tool }) => tool) } };
    case "tools/call": {
      const tool = allTools.find((each) => each.name === request.params?.name);
      const text = tool ? tool.handler(request.params?.arguments ?? {}) : `Unknown tool: ${request.params?.name}`;
      return { result: { content: [{ type: "text", text }], isError: tool === undefined } };
    }
  }
  return { error: { code: -32601, message: "Method not found" } };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line) as Request;
  if (request.id !== undefined) {
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: request.id, ...answer(request) }) + "\n");
  }
});
