/**
 * Installations of the matcher for tests: which release is found, and where. The older one and the languages of the
 * newer one are among the test programs, the newer one itself is in the workspace.
 */
import { access, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Project } from "./project.js";
import { startServer, type TestServer } from "./server.js";

/** The last release with all languages in it, and one that has most of them in packages of their own. */
export type Release = "0.33" | "0.51";

export const RELEASES: readonly Release[] = ["0.33", "0.51"];

/** Languages that have a package among the test programs. */
const PACKAGES = ["c", "go", "json", "python"];

const PROGRAMS = fileURLToPath(new URL("programs/node_modules", import.meta.url));
const WORKSPACE = fileURLToPath(new URL("../node_modules", import.meta.url));

/** Puts the release, with packages of languages, into a folder of packages. */
export async function installAstGrep(folder: string, release: Release): Promise<void> {
  const installed = join(release === "0.33" ? PROGRAMS : WORKSPACE, "@ast-grep", "napi");
  await access(installed).catch(() => {
    throw new Error("the test programs are missing: run make programs");
  });
  await link(installed, join(folder, "@ast-grep", "napi"));
  if (release === "0.33") return;
  for (const name of PACKAGES) await link(join(PROGRAMS, "@ast-grep", `lang-${name}`), join(folder, "@ast-grep", `lang-${name}`));
}

/** A server in the project that finds the release by NODE_PATH. */
export async function startAstServer(project: Project, release: Release = "0.33", env: Record<string, string> = {}): Promise<TestServer> {
  const folder = join(project.folder, "packages");
  await installAstGrep(folder, release);
  return startServer({ ...project, env: { NODE_PATH: folder, ...env } });
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path, "dir");
}
