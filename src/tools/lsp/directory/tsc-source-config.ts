/** A configuration by which a project is checked against the sources of the projects that it refers to. */
import { symlink, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** What has to do with output, which is not made, and would only be complained about. */
const WITHOUT_OUTPUT = {
  noEmit: true,
  composite: false,
  incremental: false,
  declaration: false,
  declarationMap: false,
  emitDeclarationOnly: false,
  declarationDir: null,
  outDir: null,
  rootDir: null,
  tsBuildInfoFile: null,
};

/**
 * Writes `<folder>/tsconfig.json`. `shown` is what `tsc --showConfig` says about the project.
 * Returns the project's own files, or undefined when that cannot be understood.
 */
export async function writeSourceConfig(config: string, shown: string, folder: string): Promise<Set<string> | undefined> {
  const project = dirname(config);
  const files = shownFiles(shown)?.map((file) => resolve(project, file));
  if (files === undefined) return undefined;
  await linkPackages(project, folder);
  const made = { extends: config, references: [], files, include: [], compilerOptions: WITHOUT_OUTPUT };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(made));
  return new Set(files);
}

function shownFiles(shown: string): string[] | undefined {
  try {
    const { files } = JSON.parse(shown) as { files?: unknown };
    return Array.isArray(files) && files.length > 0 ? files.filter((file) => typeof file === "string") : undefined;
  } catch {
    return undefined;
  }
}

/** Types of packages are looked for from the folder of the configuration, so it gets the project's packages. */
async function linkPackages(project: string, folder: string): Promise<void> {
  for (let at = project; ; at = dirname(at)) {
    const packages = join(at, "node_modules");
    const there = await stat(packages).catch(() => undefined);
    if (there?.isDirectory() === true) {
      await symlink(packages, join(folder, "node_modules"), "junction");
      return;
    }
    if (dirname(at) === at) return;
  }
}
