/** The client's configuration folder, where the user's settings and learned skills are. */
import { join, sep } from "node:path";
import { statedHome } from "./home-folder.js";

/** `CLAUDE_CONFIG_DIR`, in which `~` means home, else `~/.claude`. Undefined when home is needed and there is none. */
export function configFolder(): string | undefined {
  const given = process.env["CLAUDE_CONFIG_DIR"]?.trim() || "~/.claude";
  if (given !== "~" && !given.startsWith("~/") && !given.startsWith(`~${sep}`)) return given;
  const home = statedHome();
  return home === undefined ? undefined : join(home, given.slice(2));
}
