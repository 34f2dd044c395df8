/**
 * Which files the tools that take paths may touch. By default any; with `restrictToolPaths` only those of the project.
 *
 * The settings come from `OMC_SECURITY=strict` and from the first of two files that has an object `security`, comments
 * and trailing commas allowed: `.claude/omc.jsonc` in the server's folder, and `claude-omc/config.jsonc` in the user's
 * configuration. With `strict` a file can only tighten.
 */
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { log } from "../mcp/log.js";
import { readBounded } from "./bounded-file.js";
import { cut } from "./cut.js";
import { askGit } from "./git-probe.js";
import { statedHome } from "./home-folder.js";
import { isInside } from "./omc-paths.js";

const MAX_CONFIGURATION_BYTES = 1024 * 1024;

export interface SecuritySettings {
  /** Tools that take a path refuse those outside the project. */
  restrictToolPaths: boolean;
  /** Code that a tool runs is to be confined. */
  pythonSandbox: boolean;
  /** `OMC_SECURITY` is `strict`, which turns the others on. */
  strict: boolean;
}

/** Where the settings are looked for. */
export interface SecuritySources {
  cwd: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  home: string | undefined;
}

/** A path outside the project while tools are confined to it, or one whose place cannot be judged. */
export class RestrictedPathError extends Error {
  override name = "RestrictedPathError";
}

let settings: Promise<SecuritySettings> | undefined;

/** The settings of this process, read once. Never rejects. */
export function securitySettings(): Promise<SecuritySettings> {
  settings ??= readSecuritySettings({
    cwd: process.cwd(),
    env: process.env,
    platform: process.platform,
    home: statedHome(),
  });
  return settings;
}

/** Reads the settings afresh. A file that cannot be read is told on stderr and counts as absent. */
export async function readSecuritySettings(sources: SecuritySources): Promise<SecuritySettings> {
  const strict = sources.env["OMC_SECURITY"] === "strict";
  const said = await configuredSecurity(sources);
  return {
    strict,
    restrictToolPaths: strict || said["restrictToolPaths"] === true,
    pythonSandbox: strict || said["pythonSandbox"] === true,
  };
}

/**
 * The absolute, real path of a file or folder that a caller names; a relative one counts from the server's folder.
 * What does not exist yet is placed below the nearest folder that does.
 * @throws {RestrictedPathError} when tools are confined to the project and it leads outside, links followed.
 */
export async function allowedPath(path: string): Promise<string> {
  const target = await realTarget(resolve(path));
  const { restrictToolPaths } = await securitySettings();
  if (!restrictToolPaths) return target;
  const root = await projectRoot(path);
  if (isInside(target, root)) return target;
  throw new RestrictedPathError(
    `Path restricted: '${cut(path)}' is outside the project '${basename(root)}', and the security settings confine this tool to it`,
  );
}

/** The toplevel that git names, which of a submodule is its own; without a repository the server's folder. */
async function projectRoot(path: string): Promise<string> {
  const cwd = await realpath(process.cwd());
  const answer = await askGit(cwd);
  if (answer.kind === "failed") {
    throw new RestrictedPathError(`Path restricted: '${cut(path)}' was not used, because the project's root is unknown: ${answer.why}`);
  }
  return answer.kind === "none" ? cwd : answer.toplevel;
}

async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    return join(await realTarget(dirname(path)), basename(path));
  }
}

async function configuredSecurity({ cwd, env, platform, home }: SecuritySources): Promise<Record<string, unknown>> {
  const files = [join(cwd, ".claude", "omc.jsonc"), userConfiguration({ env, platform, home })];
  for (const file of files) {
    const found = file && (await securityObject(file));
    if (found) return found;
  }
  return {};
}

/** Path of `claude-omc/config.jsonc` in the user's configuration, or undefined when the user has no place for it. */
export function userConfiguration({ env, platform, home }: Omit<SecuritySources, "cwd">): string | undefined {
  const folder = platform === "win32" ? env["APPDATA"] : env["XDG_CONFIG_HOME"] || (home && join(home, ".config"));
  return folder ? join(folder, "claude-omc", "config.jsonc") : undefined;
}

async function securityObject(file: string): Promise<Record<string, unknown> | undefined> {
  let text: string | undefined;
  try {
    text = await readBounded(file, MAX_CONFIGURATION_BYTES);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") log(`security settings: ${file} was not read (${code})`);
    return undefined;
  }
  if (text === undefined) {
    log(`security settings: ${file} is no regular file of up to ${MAX_CONFIGURATION_BYTES} bytes and was not read`);
    return undefined;
  }
  const { parse } = await import("jsonc-parser");
  const security: unknown = asObject(parse(text, [], { allowTrailingComma: true }))?.["security"];
  return asObject(security);
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}
