/**
 * The frame around the tools: it answers `tools/list` and `tools/call`, and it alone decides what a call's answer looks
 * like. Whatever happens in a tool, the client gets `content` with exactly one text and a boolean `isError`:
 *
 *     unknown or disabled tool   Unknown tool: <name>
 *     arguments refused          which field, what was expected, what came; the handler never ran
 *     handler threw              Error: <message>
 *     otherwise                  the handler's answer
 */
import { Server } from "@modelcontextprotocol/server";
import { cut } from "../lib/cut.js";
import { errorText, isMistake } from "../tools/error-text.js";
import { fail, type ToolContext, type ToolResult } from "../tools/types.js";
import type { Calls } from "./calls.js";
import { log } from "./log.js";
import { pluginVersion } from "./plugin-version.js";
import { allTools, buildListToolsResponse, findTool, type ToolDef } from "./tool-registry.js";
import { validateArguments } from "./validation.js";

/** The answer as sent: always both fields. */
export interface CallAnswer {
  content: [{ type: "text"; text: string }];
  isError: boolean;
  [key: string]: unknown;
}

/**
 * One protocol server over the tools; it is made anew for each generation of the protocol that a client tries. The list
 * of tools does not change while the process lives, so `listChanged` is not declared and nobody needs to subscribe.
 */
export function createServer(calls: Calls, onerror: (error: Error) => void, tools: readonly ToolDef[] = allTools): Server {
  const server = new Server({ name: "t", version: pluginVersion() }, { capabilities: { tools: {} } });
  server.onerror = onerror;
  server.setRequestHandler("tools/list", () => buildListToolsResponse(tools));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
    calls.track(callTool(params.name, params.arguments, { signal: mcpReq.signal }, tools)),
  );
  return server;
}

/** Calls a tool by name with unchecked arguments. Never throws. */
export async function callTool(
  name: string,
  args: unknown,
  context: ToolContext,
  tools: readonly ToolDef[] = allTools,
): Promise<CallAnswer> {
  const tool = findTool(name, tools);
  if (tool === undefined) return answer(fail(`Unknown tool: ${cut(name)}`));
  try {
    const checked = validateArguments(tool, args);
    return answer(checked.ok ? await tool.handler(checked.args, context) : fail(checked.text));
  } catch (error) {
    if (isMistake(error)) log(`${name}: ${(error as Error).stack}`);
    return answer(fail(`Error: ${errorText(error)}`));
  }
}

/** Half of a character, as cutting a text may leave it, makes a message that strict clients cannot read. */
const HALF_CHARACTER = /\p{Surrogate}/gu;

function answer(result: ToolResult): CallAnswer {
  const text = result.content[0].text.replace(HALF_CHARACTER, "\ufffd");
  return { content: [{ type: "text", text }], isError: result.isError === true };
}

/** @throws {Error} when two tools have one name, of which the second could never be called. */
export function checkNames(tools: readonly ToolDef[] = allTools): void {
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name)) throw new Error(`two tools are named '${name}'`);
    seen.add(name);
  }
}
