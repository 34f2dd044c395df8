/** One public server as a plugin: its package, with the few files that make it one, built by omcbuild. */
import { spawn } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { lastingFolder, removeFolder } from "../../test-support/folders.js";
import type { PublicServer } from "./table.js";

const OMCBUILD = fileURLToPath(new URL("../../../bin/omcbuild", import.meta.url));

/** Every server's environment: proxies that nobody answers at, and no reports to its makers. */
export const QUIET = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  http_proxy: "http://127.0.0.1:9",
  https_proxy: "http://127.0.0.1:9",
  DO_NOT_TRACK: "1",
  NO_UPDATE_NOTIFIER: "1",
};

export interface Finding {
  code: string;
  message: string;
}

export interface Report {
  ok: boolean;
  errors: Finding[];
  warnings: Finding[];
}

export class PublicPlugin {
  readonly root: string;
  readonly home: string;
  readonly #server: PublicServer;

  private constructor(
    /** Has the plugin, a home and room for more. */
    readonly folder: string,
    server: PublicServer,
  ) {
    this.#server = server;
    this.root = join(folder, "plugin");
    this.home = join(folder, "home");
  }

  /** Copies the installed package to a folder below the same node_modules, so that it finds what it depends on. */
  static async make(installed: string, server: PublicServer): Promise<PublicPlugin> {
    const plugin = new PublicPlugin(await lastingFolder("plugin-", installed), server);
    const source = join(installed, "node_modules", server.name);
    await cp(source, plugin.root, { recursive: true });
    await mkdir(plugin.home);
    const { version } = JSON.parse(await readFile(join(source, "package.json"), "utf8")) as { version: string };
    await plugin.#write(".claude-plugin/plugin.json", { name: "public", version });
    return plugin;
  }

  /** Runs omcbuild build, with these codes accepted, and perhaps with a front. */
  async build(accept: readonly string[], front: boolean | { env: readonly string[] } = false): Promise<Report> {
    const { entry, args = [], external = [], env = {} } = this.#server;
    const bundle = { name: "s", entry, outfile: "bundle/server.cjs", args, external, env: { ...QUIET, ...env }, accept, front };
    await this.#write("omcbuild.jsonc", { bundles: [bundle], plugin: { name: "public" } });
    const text = await output(OMCBUILD, ["build", "--json", "-C", this.root], { PATH: process.env["PATH"] ?? "", HOME: this.home });
    return JSON.parse(text) as Report;
  }

  /** Copies the bundle and what lies beside it to an empty folder. The name is of the copy of the bundle. */
  async copyAlone(): Promise<string> {
    const alone = join(this.folder, "alone");
    await cp(join(this.root, "bundle"), alone, { recursive: true });
    return join(alone, "server.cjs");
  }

  /** The tools that omcbuild recorded. */
  async recorded(): Promise<string[]> {
    const lock = JSON.parse(await readFile(join(this.root, "bundle/server.tools.json"), "utf8")) as { tools: { name: string }[] };
    return lock.tools.map(({ name }) => name);
  }

  remove(): Promise<void> {
    return removeFolder(this.folder);
  }

  async #write(name: string, value: unknown): Promise<void> {
    const path = join(this.root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(value, undefined, 2));
  }
}

/** What a program wrote to stdout, whether or not it was content. */
function output(program: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let [text, complaints] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (more: string) => (text += more));
    child.stderr.setEncoding("utf8").on("data", (more: string) => (complaints += more));
    child.on("error", reject);
    child.on("close", () => (text === "" ? reject(new Error(complaints)) : resolve(text)));
  });
}
