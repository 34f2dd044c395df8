/**
 * Servers that were not written for omcbuild, bundled and checked by it. Each lists the same tools, to the letter, from its
 * bundle in an empty folder as from the package with all its dependencies; or it is refused for the reason expected.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, type ExpectStatic, test } from "vitest";
import { fronts, startLines } from "./front.js";
import { installServers, type Installation } from "./install.js";
import { type Finding, PublicPlugin } from "./plugin.js";
import { publicServers, type PublicServer } from "./table.js";
import { listTools } from "./tools.js";

/** Findings that a slow machine has and a fast one has not. */
const TIMED = new Set(["slow-start"]);

let installation: Installation;

beforeAll(async () => {
  installation = await installServers();
}, 600_000);

afterAll(() => installation?.remove());

describe("public servers", () => {
  test.concurrent.for(publicServers)("$name", async (server, { expect: check }) => {
    const plugin = await PublicPlugin.make(installation.folder, server);
    try {
      await (server.refused === undefined ? bundled(server, plugin, check) : refused(server, server.refused, plugin, check));
    } finally {
      await plugin.remove();
    }
  });
});

describe("recorded answers in front of public servers", () => {
  test.concurrent.for(fronts)("$name", async ({ name, env, refused: why }, { expect: check }) => {
    const server = publicServers.find((each) => each.name === name) as PublicServer;
    const plugin = await PublicPlugin.make(installation.folder, server);
    try {
      const { errors, warnings } = await plugin.build(server.accept ?? [], env === undefined ? true : { env });
      check(errors).toEqual([]);
      const against = warnings.filter(({ code }) => code.startsWith("front-"));
      check(against.map(({ message }) => message)).toEqual(why === undefined ? [] : [check.stringMatching(why)]);
      const bundle = await plugin.copyAlone();
      check((await readFile(bundle, "utf8")).includes("__omcbuild_answers")).toBe(why === undefined);
      if (why !== undefined) return;
      const cold = await startLines(bundle, plugin, { OMCBUILD_FRONT: "0" });
      check(await startLines(bundle, plugin, {})).toEqual(cold);
      check(cold).toHaveLength(2);
      check(await listTools(bundle, server, plugin)).toEqual(await listTools(inPackages(server), server, plugin));
    } finally {
      await plugin.remove();
    }
  });
});

async function bundled(server: PublicServer, plugin: PublicPlugin, check: ExpectStatic): Promise<void> {
  const { accept = [], reports = [], tools } = server;
  if (accept.length > 0) {
    const { errors } = await plugin.build([]);
    check(errors).not.toEqual([]);
    check(accept).toEqual(check.arrayContaining(codes(errors)));
  }
  const report = await plugin.build(accept);
  check(report.errors).toEqual([]);
  check(codes(report.warnings)).toEqual([...reports, ...accept].sort());
  const inPackage = await listTools(inPackages(server), server, plugin);
  const alone = await listTools(await plugin.copyAlone(), server, plugin);
  check(alone).toEqual(inPackage);
  check(alone).toHaveLength(tools ?? 0);
  check(await plugin.recorded()).toHaveLength(alone.length);
}

async function refused(server: PublicServer, { code, message }: NonNullable<PublicServer["refused"]>, plugin: PublicPlugin, check: ExpectStatic): Promise<void> {
  const { errors } = await plugin.build([]);
  check(codes(errors)).toEqual([code]);
  for (const error of errors) check(error.message).toMatch(message);
  if (server.tools === undefined) return;
  const inPackage = await listTools(inPackages(server), server, plugin);
  check(inPackage).toHaveLength(server.tools);
}

/** The file that the package's maker starts, with all its dependencies around it. */
function inPackages({ name, entry, started = entry }: PublicServer): string {
  return join(installation.folder, "node_modules", name, started);
}

function codes(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(({ code }) => code))].filter((code) => !TIMED.has(code)).sort();
}
