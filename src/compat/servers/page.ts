/** The table of public servers as docs/compatibility.md shows it. */
import { readFile } from "node:fs/promises";
import { publicServers, type PublicServer } from "./table.js";

/** Lines of the table, in order of the names. */
export async function pageTable(): Promise<string> {
  const file = await readFile(new URL("packages/package.json", import.meta.url), "utf8");
  const { dependencies } = JSON.parse(file) as { dependencies: Record<string, string> };
  const rows = publicServers.map((server) => [`\`${server.name}\``, dependencies[server.name] ?? "", server.ships, server.because, result(server)]);
  return [["package", "version", "ships", "what is particular", "result"], ["---", "---", "---", "---", "---"], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |\n`)
    .join("")
    .replaceAll(" --- ", "---");
}

function result({ tools, accept = [], external = [], refused }: PublicServer): string {
  if (refused !== undefined) return `refused, \`${refused.code}\`: ${refused.why}`;
  const allowed = [...accept.map((code) => `accepts \`${code}\``), ...external.map((name) => `\`${name}\` external`)];
  return [`${tools} ${tools === 1 ? "tool" : "tools"}`, ...allowed].join("; ");
}
