/** One root for many packages, and the right one where packages are apart. */
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { expect, test, vi } from "vitest";
import { plainFolder } from "../test-support/project.js";
import { typescriptServers } from "./choose-typescript.js";
import { TYPESCRIPT } from "./registry.js";
import { workspaceRoot } from "./workspace-root.js";

interface Case {
  name: string;
  server: string;
  /** Files, with their text after a colon; folders end with a slash. */
  tree: string[];
  file: string;
  root: string;
}

const CASES: Case[] = [
  { name: "Go modules of one repository", server: "go", tree: [".git/", "a/go.mod", "b/go.mod"], file: "b/x/y.go", root: "." },
  { name: "Go modules without a repository", server: "go", tree: ["a/go.mod", "b/go.mod"], file: "b/x/y.go", root: "b" },
  { name: "a Go workspace", server: "go", tree: ["go.work", "a/go.mod"], file: "a/y.go", root: "." },
  { name: "a Go workspace in a repository", server: "go", tree: [".git/", "w/go.work", "w/a/go.mod"], file: "w/a/y.go", root: "w" },
  { name: "a pnpm workspace", server: "typescript", tree: ["pnpm-workspace.yaml", "packages/a/package.json"], file: "packages/a/y.ts", root: "." },
  { name: "npm workspaces", server: "typescript", tree: ['package.json:{"workspaces": ["a"]}', "a/package.json"], file: "a/y.ts", root: "." },
  { name: "nested packages without a repository", server: "typescript", tree: ["p/package.json", "p/a/tsconfig.json"], file: "p/a/y.ts", root: "p" },
  { name: "nested packages of a repository", server: "typescript", tree: [".git/", "a/package.json"], file: "a/y.ts", root: "." },
  { name: "an installed package", server: "typescript", tree: ["p/package.json", "p/node_modules/q/package.json"], file: "p/node_modules/q/y.d.ts", root: "p" },
  { name: "a submodule", server: "typescript", tree: [".git/", "sub/.git:gitdir: ../.git/modules/sub"], file: "sub/y.ts", root: "sub" },
  { name: "a Cargo workspace", server: "rust", tree: ["Cargo.toml:[workspace]\nmembers = []", "a/Cargo.toml:[package]"], file: "a/src/y.rs", root: "." },
  { name: "crates apart", server: "rust", tree: [".git/", "a/Cargo.toml:[package]", "b/Cargo.toml:[package]"], file: "b/src/y.rs", root: "b" },
  { name: "a Python project in a repository", server: "python", tree: [".git/", "svc/pyproject.toml"], file: "svc/x/y.py", root: "svc" },
  { name: "a uv workspace", server: "python", tree: ["pyproject.toml:[tool.uv.workspace]", "a/pyproject.toml"], file: "a/y.py", root: "." },
  { name: "a Maven build", server: "java", tree: ["pom.xml", "a/pom.xml"], file: "a/src/y.java", root: "." },
  { name: "a Gradle build", server: "kotlin", tree: ["settings.gradle.kts", "a/build.gradle.kts"], file: "a/src/y.kt", root: "." },
  { name: "a language without markers", server: "lua", tree: [".git/", "a/package.json"], file: "a/y.lua", root: "." },
  { name: "a language without markers or repository", server: "lua", tree: ["a/package.json"], file: "a/b/y.lua", root: "a" },
  { name: "nothing at all", server: "lua", tree: [], file: "a/b/y.lua", root: "a/b" },
];

async function grow(folder: string, tree: readonly string[]): Promise<void> {
  for (const entry of tree) {
    const [path, ...text] = entry.split(":");
    const target = join(folder, path as string);
    await mkdir(entry.endsWith("/") ? target : dirname(target), { recursive: true });
    if (!entry.endsWith("/")) await writeFile(target, text.join(":"));
  }
}

test.each(CASES)("$name", async ({ server, tree, file, root }) => {
  const folder = await plainFolder("omc-root-");
  vi.stubEnv("HOME", dirname(folder));
  await grow(folder, tree);
  expect(relative(folder, await workspaceRoot(join(folder, file), server)) || ".").toBe(root);
});

test("a pipe with the name of a manifest is not waited for", async () => {
  const folder = await plainFolder("omc-root-");
  vi.stubEnv("HOME", dirname(folder));
  await grow(folder, [".git/", "node_modules/typescript/"]);
  for (const name of ["package.json", "Cargo.toml", "node_modules/typescript/package.json"]) execFileSync("mkfifo", [join(folder, name)]);
  for (const server of ["typescript", "rust"]) expect(await workspaceRoot(join(folder, "y.ts"), server)).toBe(folder);
  expect(await typescriptServers(TYPESCRIPT, folder, false)).not.toEqual([]);
});

test("the home folder is no workspace, even with a repository in it", async () => {
  const home = await plainFolder("omc-home-");
  vi.stubEnv("HOME", home);
  await grow(home, [".git/", "package.json"]);
  expect(await workspaceRoot(join(home, "notes/y.ts"), "typescript")).toBe(join(home, "notes"));
});
