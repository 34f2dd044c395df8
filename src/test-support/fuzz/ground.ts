/**
 * A project to try anything on, with decoys beside, above and behind links, and a record of what must stay as it is:
 *
 *     above.md  beside/  pwned      (the last must never appear)
 *     project/                      .omc may change, and what is in src/ by tools that edit sources
 *       src/  link.ts → ../beside/secret.ts  out → ../beside
 *     home/     .ssh/id             may change but for the decoy
 *     runtime/  tmp/  bin/          the first two may change; bin has the few programs that are found
 */
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeProject, type Project } from "../project.js";

/** What the secret decoy says; no answer may. */
export const SECRET = "decoy-secret-7c1f";

/** Programs that the server may find. No language server is among them. */
const PROGRAMS = ["git", "node", "sh"];

const run = promisify(execFile);

const TIME = "2026-01-01T00:00:00.000Z";

/** What the tools find: a little of everything, whole and broken. */
const FOUND: readonly [path: string, text: string][] = [
  ["project/.omc/notepad.md", `# Notepad\n\n## Priority Context\nalpha\n\n## Working Memory\n### 2026-01-01 00:00\nalpha\n\n## MANUAL\n`],
  ["project/.omc/project-memory.json", JSON.stringify({ version: "1.0.0", lastScanned: 1, projectRoot: "x", customNotes: [] })],
  ["project/.omc/deepinit-manifest.json", JSON.stringify({ version: 1, generatedAt: TIME, directories: { src: { files: ["a.ts"] } } })],
  ["project/.omc/wiki/alpha.md", `---\ntitle: "Alpha"\ntags: ["a"]\ncreated: ${TIME}\nupdated: ${TIME}\ncategory: decision\n---\n\n# Alpha\n\n[[beta]] 認証\n`],
  ["project/.omc/wiki/broken.md", "no frontmatter, alpha\n"],
  ["project/.omc/skills/alpha.md", "---\nname: alpha\ndescription: d\ntriggers: [a]\n---\n"],
  ["project/.omc/state/sessions/fuzz-session/ralph-state.json", JSON.stringify({ active: true, session_id: "fuzz-session", iteration: 1 })],
  ["project/.omc/state/sessions/other-session/autopilot-state.json", "{broken"],
  ["project/.omc/state/shared-memory/alpha/beta-1.json", JSON.stringify({ key: "beta-1", value: 1, namespace: "alpha", createdAt: TIME, updatedAt: TIME })],
  ["project/.omc/state/agent-replay-fuzz-session.jsonl", `{"t":1,"agent":"a1","event":"agent_start","agent_type":"executor"}\n{broken\n{"t":2,"agent":"a1","event":"tool_end","tool":"Read","duration_ms":3}\n`],
  ["home/.claude/projects/-srv-x/fuzz-session.jsonl", `{"type":"user","sessionId":"fuzz-session","timestamp":"${TIME}","cwd":"/srv/x","message":{"role":"user","content":"alpha 認証"}}\n{broken\n\n`],
];

export interface Ground extends Project {
  env: Record<string, string>;
}

export async function makeGround(): Promise<Ground> {
  const project = await makeProject();
  const { folder, root } = project;
  for (const name of ["runtime", "tmp", "bin"]) await mkdir(join(folder, name), { mode: 0o700 });
  const files: [string, string][] = [
    ["above.md", SECRET],
    ["beside/secret.ts", `console.log("${SECRET}");\n`],
    ["beside/.omc/notepad.md", SECRET],
    ["beside/.omc/wiki/alpha.md", SECRET],
    ["home/.ssh/id", SECRET],
    ["project/src/a.ts", 'import b from "./b";\nconst x = 1;\nconsole.log(x, b);\n'],
    ["project/src/b.py", "def f(a):\n    return a\n"],
    ["project/src/broken.ts", "const = {{{\n"],
    ["project/README.md", "# Readme\n"],
  ];
  for (const [path, text] of [...files, ...FOUND]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await symlink("../beside/secret.ts", join(root, "link.ts"));
  await symlink("../beside", join(root, "out"));
  for (const program of PROGRAMS) await linkProgram(program, join(folder, "bin"));
  await linkPython(join(folder, "bin"));
  const env = {
    PATH: join(folder, "bin"),
    NODE_PATH: fileURLToPath(new URL("../../node_modules", import.meta.url)),
    XDG_RUNTIME_DIR: join(folder, "runtime"),
    TMPDIR: join(folder, "tmp"),
  };
  return { ...project, env };
}

/**
 * Everything that must stay: path → kind, size, times and link target.
 * @param editsSources whether the project's own files may change
 */
export async function sentinels({ folder }: Ground, editsSources: boolean): Promise<Map<string, string>> {
  const free = ["project/.omc", "home", "runtime", "tmp", ...(editsSources ? ["project/src", "project/README.md"] : [])];
  const kept = new Map<string, string>();
  await record(folder, "", free, kept);
  await record(folder, "home/.ssh", [], kept);
  return kept;
}

async function record(folder: string, path: string, free: string[], kept: Map<string, string>): Promise<void> {
  if (free.includes(path)) return;
  const full = join(folder, path);
  const found = await lstat(full, { bigint: true });
  const target = found.isSymbolicLink() ? await readlink(full) : "";
  // The project's own folder gets `.omc`, so of it only what is in it counts.
  const times = path === "project" ? "" : `${found.mtimeNs} ${found.ctimeNs}`;
  kept.set(path, `${found.mode.toString(8)} ${path === "project" ? "" : found.size} ${times} ${target}`);
  if (!found.isDirectory()) return;
  for (const name of await readdir(full)) await record(folder, path === "" ? name : `${path}/${name}`, free, kept);
}

/** Ids of the processes that still work for this ground. Where there is no /proc nobody knows. */
export async function processesOf({ home }: Ground): Promise<number[]> {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(ids.map((id) => readFile(`/proc/${id}/environ`, "utf8").catch(() => "")));
  return ids.filter((_, at) => environments[at]?.split("\0").includes(`HOME=${home}`)).map(Number);
}

async function linkProgram(name: string, into: string): Promise<void> {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const program = join(folder, name);
    const isThere = await access(program, constants.X_OK).then(() => true, () => false);
    if (isThere) return symlink(program, join(into, name));
  }
}

/** What is called python3 may be a script that chooses one and needs its own programs, so Python is asked where it is. */
async function linkPython(into: string): Promise<void> {
  const asked = await run("python3", ["-c", "import sys; print(sys.executable)"]).catch(() => undefined);
  if (asked !== undefined) await symlink(asked.stdout.trim(), join(into, "python3"));
}
