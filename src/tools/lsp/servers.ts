import { serverStatus } from "../../lsp/sessions.js";
import { ok, type ToolResult } from "../types.js";
import { serversText } from "./servers-text.js";

export async function listServers(): Promise<ToolResult> {
  return ok(serversText(await serverStatus()));
}
