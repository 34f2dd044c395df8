import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { pageTable } from "./page.js";
import { publicServers } from "./table.js";

const page = new URL("../../../docs/compatibility.md", import.meta.url);
const packages = new URL("packages/package.json", import.meta.url);

test("the page on compatibility has the table of public servers as it is tested", async () => {
  expect(await readFile(page, "utf8")).toContain(`\n\n${await pageTable()}\n`);
});

test("the table names what is installed, in order, each with one exact version", async () => {
  const { dependencies } = JSON.parse(await readFile(packages, "utf8")) as { dependencies: Record<string, string> };
  expect(publicServers.map(({ name }) => name)).toEqual(Object.keys(dependencies));
  expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});
