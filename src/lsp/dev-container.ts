/**
 * The dev container of a workspace, if one runs: language servers are then started in it, where the project's tools are.
 * Docker is asked only when the project has a dev container configuration, or OMC_LSP_CONTAINER_ID names a container.
 */
import { readdir } from "node:fs/promises";
import { dirname, join, posix, relative, sep } from "node:path";
import { readBounded } from "../lib/bounded-file.js";
import { isInside } from "../lib/omc-paths.js";
import { dockerProgram, type Mount, type RunningContainer, runningContainers } from "./docker.js";
import type { PathMap } from "./hosted-server.js";
import { pathOfUri, uriOf } from "./uris.js";

export interface DevContainer extends PathMap {
  id: string;
  /** Absolute path of the Docker command. */
  docker: string;
  /** The workspace root as it is called in the container. */
  folder: string;
  /** A path as it is called in the container; one that the container does not see stays. */
  inside(path: string): string;
}

/** A dev container configuration of the project. */
interface Configuration {
  /** Folder that holds `.devcontainer` or `.devcontainer.json`. */
  folder: string;
  file: string;
  /** What the configuration calls the workspace in the container. */
  workspaceFolder: string | undefined;
}

const MAX_CONFIGURATION_BYTES = 256 * 1024;
/** How long a choice counts, in milliseconds. */
const COUNTS_MS = 30_000;
const MAX_KEPT = 64;

const choices = new Map<string, { at: number; choice: Promise<DevContainer | undefined> }>();

/** The running container for a workspace root; undefined means this machine. */
export async function devContainer(root: string): Promise<DevContainer | undefined> {
  const forced = process.env["OMC_LSP_CONTAINER_ID"]?.trim() || undefined;
  const configuration = await configurationAbove(root);
  if (forced === undefined && configuration === undefined) return undefined;
  const key = JSON.stringify([root, forced, configuration, process.env["PATH"]]);
  const known = choices.get(key);
  if (known !== undefined && Date.now() - known.at < COUNTS_MS) return known.choice;
  if (choices.size >= MAX_KEPT) choices.clear();
  const choice = choose(root, forced, configuration);
  choices.set(key, { at: Date.now(), choice });
  return choice;
}

async function choose(root: string, forced: string | undefined, configuration: Configuration | undefined): Promise<DevContainer | undefined> {
  const docker = await dockerProgram();
  if (docker === undefined) return undefined;
  const running = await runningContainers(docker, forced);
  const chosen = forced === undefined ? best(running, root, configuration) : running[0];
  return chosen && described(docker, chosen, root, configuration);
}

/** The container whose labels and mounts fit best; undefined when none fits at all. */
function best(running: readonly RunningContainer[], root: string, configuration: Configuration | undefined): RunningContainer | undefined {
  const scored = running.map((container) => ({ container, score: score(container, root, configuration) }));
  scored.sort((a, b) => b.score - a.score);
  return scored.find((one) => one.score > 0)?.container;
}

export function score({ labels, mounts }: RunningContainer, root: string, configuration: Configuration | undefined): number {
  if (configuration === undefined) return 0;
  let points = mounts.some(({ source }) => isInside(root, source)) ? 1 : 0;
  for (const label of ["devcontainer.local_folder", "vsch.local.folder"]) if (labels[label] === configuration.folder) points += 4;
  for (const label of ["devcontainer.config_file", "vsch.config.file"]) if (labels[label] === configuration.file) points += 3;
  return points;
}

function described(docker: string, { id, mounts }: RunningContainer, root: string, configuration: Configuration | undefined): DevContainer {
  const declared: Mount[] =
    configuration?.workspaceFolder === undefined ? [] : [{ source: configuration.folder, destination: configuration.workspaceFolder }];
  const inside = (path: string): string => translate(path, mounts) ?? translate(path, declared) ?? path;
  const back = [...mounts, ...declared].map(({ source, destination }) => ({ source: destination, destination: source }));
  return {
    id,
    docker,
    folder: inside(root),
    inside,
    uriOf: (path) => uriOf(inside(path)),
    pathOf: (uri) => {
      const path = pathOfUri(uri);
      return path === undefined ? undefined : (translate(path, back) ?? path);
    },
  };
}

/** Where a path is on the other side, by the mount that is nearest to it. */
function translate(path: string, mounts: readonly Mount[]): string | undefined {
  const covering = mounts.filter(({ source }) => isInside(path, source)).sort((a, b) => b.source.length - a.source.length)[0];
  if (covering === undefined) return undefined;
  const rest = relative(covering.source, path).split(sep).join("/");
  return rest === "" ? covering.destination : posix.join(covering.destination, rest);
}

/** The nearest configuration in the root or a folder above it. */
async function configurationAbove(root: string): Promise<Configuration | undefined> {
  for (let folder = root; ; folder = dirname(folder)) {
    for (const file of await candidates(folder)) {
      const text = await readBounded(file, MAX_CONFIGURATION_BYTES).catch(() => undefined);
      if (text !== undefined) return { folder, file, workspaceFolder: await workspaceFolderOf(text, folder) };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

async function candidates(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, ".devcontainer")).catch(() => []);
  const nested = names.sort().map((name) => join(folder, ".devcontainer", name, "devcontainer.json"));
  return [join(folder, ".devcontainer", "devcontainer.json"), join(folder, ".devcontainer.json"), ...nested];
}

async function workspaceFolderOf(text: string, folder: string): Promise<string | undefined> {
  const { parse } = await import("jsonc-parser");
  const said: unknown = (parse(text, [], { allowTrailingComma: true }) as { workspaceFolder?: unknown } | undefined)?.workspaceFolder;
  if (typeof said !== "string") return undefined;
  const name = folder.split(sep).at(-1) ?? "";
  const path = said.replaceAll("${localWorkspaceFolderBasename}", name).replaceAll("${localWorkspaceFolder}", folder);
  return posix.isAbsolute(path) ? path : undefined;
}
