/** The list of language servers: which can be used, and how to get the others. */
import type { ServerStatus } from "../../lsp/session.js";
import { clipped } from "./fitted.js";

const MAX_TROUBLE = 500;

export function serversText(servers: readonly ServerStatus[]): string {
  const usable = servers.filter((server) => server.installed && server.trouble === undefined);
  const others = servers.filter((server) => !usable.includes(server));
  const sections = ["## Language Server Status"];
  if (usable.length > 0) sections.push(`### Installed:\n${usable.map(bullet).join("\n")}`);
  if (others.length > 0) sections.push(`### Not Installed:\n${others.map(missingBullet).join("\n")}`);
  return sections.join("\n\n");
}

function bullet({ name, command, extensions }: ServerStatus): string {
  return `- ${name} (${command})\n  Extensions: ${extensions.join(", ")}`;
}

/** A command that is there and does not run is of as little use as a missing one. */
function missingBullet(server: ServerStatus): string {
  const trouble = server.trouble === undefined ? "" : `\n  Problem: ${clipped(server.trouble.replaceAll(/\s+/g, " "), MAX_TROUBLE)}`;
  return `${bullet(server)}${trouble}\n  Install: ${server.install}`;
}
