/** Where the real language servers and compilers are that tests run: installed for the tests, not on the machine. */
import { mkdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

function ours(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** typescript-language-server with its TypeScript, and pyright-langserver. */
export const PROGRAMS = ours("programs/node_modules/.bin");
/** Has gopls, when `make` has built it. */
const REPOSITORY_BIN = ours("../../bin");
/** TypeScript 7, whose compiler is its own language server. */
export const NATIVE_TYPESCRIPT = ours("../node_modules/typescript");
const NATIVE_PACKAGES = ours("../node_modules/@typescript");

/** How long a real server may take for an answer on a busy machine, in milliseconds; a test that waits so needs more. */
export const REAL_PATIENCE_MS = 90_000;
export const REAL_TEST_MS = 120_000;

/** A PATH with the compiler of TypeScript 7, which is fast. */
export function nativePath(): string {
  return [join(NATIVE_TYPESCRIPT, "..", ".bin"), process.env["PATH"] ?? ""].join(delimiter);
}

/** A PATH with the real programs before everything else. */
export function realPath(): string {
  return [PROGRAMS, REPOSITORY_BIN, process.env["PATH"] ?? ""].join(delimiter);
}

/** A PATH that has Node and nothing else, made in a folder of the test's. */
export async function barePath(folder: string): Promise<string> {
  const path = join(folder, "only-node");
  await mkdir(path, { recursive: true });
  await symlink(process.execPath, join(path, "node")).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return path;
}

/** Installs TypeScript 7 in a project. */
export async function installNative(root: string): Promise<void> {
  const packages = join(root, "node_modules");
  await mkdir(join(packages, ".bin"), { recursive: true });
  await symlink(NATIVE_TYPESCRIPT, join(packages, "typescript"));
  await symlink(NATIVE_PACKAGES, join(packages, "@typescript"));
  await symlink(join("..", "typescript", "bin", "tsc"), join(packages, ".bin", "tsc"));
}

/** Installs the TypeScript of the tests' programs in a project. */
export async function installClassic(root: string): Promise<void> {
  const packages = join(root, "node_modules");
  await mkdir(join(packages, ".bin"), { recursive: true });
  await symlink(join(PROGRAMS, "..", "typescript"), join(packages, "typescript"));
  await symlink(join("..", "typescript", "bin", "tsc"), join(packages, ".bin", "tsc"));
}
