/** What the shared memory tools answer and leave on disk; through the built server, one for each test. */
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, makeProject, makeRepository, type Project } from "../test-support/project.js";
import { startServer, type TestServer } from "../test-support/server.js";

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const PAST = "2020-01-01T00:00:00.000Z";
const FUTURE = "2100-01-01T00:00:00.000Z";

async function open(env: Record<string, string> = {}) {
  const project = await makeProject();
  const server = await startServer({ ...project, env });
  return { project, server };
}

function file({ omc }: Project, namespace: string, key: string): string {
  return join(omc, "state", "shared-memory", namespace, `${key}.json`);
}

/** Puts a file where an entry would be, as another program might. */
async function plant(path: string, content: object | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
}

function entryOf(key: string, more: object = {}) {
  return { key, value: 1, namespace: "ns", createdAt: PAST, updatedAt: PAST, ...more };
}

async function json(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path, "utf8"));
}

/** The text of a call that must succeed, with all times replaced. */
async function said(server: TestServer, tool: string, args: Record<string, unknown>): Promise<string> {
  const { text, isError } = await server.call(tool, args);
  expect(text.startsWith("Error") || isError, text).toBe(false);
  return text.replaceAll(TIME, "<t>");
}

async function refusal(server: TestServer, tool: string, args: Record<string, unknown>): Promise<string> {
  const { text, isError } = await server.call(tool, args);
  expect(isError, text).toBe(true);
  return text;
}

const K = { key: "k", namespace: "ns" };

describe("write", () => {
  it("says what it wrote, and the file has it", async () => {
    const { project, server } = await open();
    expect(await said(server, "shared_memory_write", { ...K, value: { a: 1 }, ttl: 60 })).toBe(
      "Successfully wrote to shared memory.\n\n- **Namespace:** ns\n- **Key:** k\n- **Updated:** <t>\n- **TTL:** 60s\n- **Expires:** <t>",
    );
    const stored = await json(file(project, "ns", "k"));
    expect(Object.keys(stored)).toEqual(["key", "value", "namespace", "createdAt", "updatedAt", "ttl", "expiresAt"]);
    expect(Date.parse(String(stored["expiresAt"])) - Date.parse(String(stored["updatedAt"]))).toBe(60_000);
    expect((await stat(file(project, "ns", "k"))).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(file(project, "ns", "k")))).toEqual(["k.json"]);
  });

  it("keeps when an entry was made, moves when it was updated, and drops an earlier end", async () => {
    const { project, server } = await open();
    await said(server, "shared_memory_write", { ...K, value: 1, ttl: 60 });
    const first = await json(file(project, "ns", "k"));
    expect(await said(server, "shared_memory_write", { ...K, value: 2 })).not.toContain("Expires");
    const second = await json(file(project, "ns", "k"));
    expect(second).toMatchObject({ value: 2, createdAt: first["createdAt"] });
    expect(second).not.toHaveProperty("expiresAt");
    expect(String(second["updatedAt"]) > String(first["updatedAt"])).toBe(true);
  });

  it.each([[null], [0], [""], [false], [[1, [2]]], [{ constructor: 1 }], ["𝄞\u0000\n```"]])("stores %j", async (value) => {
    const { project, server } = await open();
    await said(server, "shared_memory_write", { ...K, value });
    expect((await json(file(project, "ns", "k")))["value"]).toEqual(value);
    expect((await server.call("shared_memory_read", K)).text).toContain(`\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``);
  });

  it("stores null when there is no value", async () => {
    const { server } = await open();
    await said(server, "shared_memory_write", K);
    expect(await said(server, "shared_memory_read", K)).toContain("```json\nnull\n```");
  });

  it.each([
    ["key", { ...K, key: "" }, "Invalid key: "],
    ["key", { ...K, key: "../k" }, "Invalid key: "],
    ["key", { ...K, key: "a..b" }, "Invalid key: "],
    ["key", { ...K, key: "x".repeat(129) }, "Invalid key: expected at most 128 characters, got 129"],
    ["key", { ...K, key: "a".repeat(3_000_000) }, "Invalid key: expected at most 128 characters, got 3000000"],
    ["key", { namespace: "ns" }, "Missing key: "],
    ["namespace", { ...K, namespace: ".hidden" }, "Invalid namespace: "],
    ["namespace", { ...K, namespace: 7 }, "Invalid namespace: expected text, got 7"],
    ["ttl", { ...K, ttl: 0 }, "Invalid ttl: expected a number of at least 1, got 0"],
    ["ttl", { ...K, ttl: -5 }, "Invalid ttl: "],
    ["ttl", { ...K, ttl: 604_801 }, "Invalid ttl: expected a number of at most 604800, got 604801"],
    ["ttl", { ...K, ttl: 1.5 }, "Invalid ttl: expected a whole number, got 1.5"],
    ["name of a device", { ...K, key: "con" }, "Invalid key: "],
    ["name that ends in a dot", { ...K, namespace: "ns." }, "Invalid namespace: "],
    ["value", { ...K, value: "x".repeat(1024 * 1024) }, "Error writing shared memory: the entry takes "],
  ])("refuses a bad %s and writes nothing: %#", async (_what, args, text) => {
    const { project, server } = await open();
    expect(await refusal(server, "shared_memory_write", args)).toContain(text);
    await said(server, "shared_memory_list", {});
    expect(await readdir(project.omc, { recursive: true }).catch(() => [])).not.toContainEqual(expect.stringMatching(/json/));
  });

  it("takes the longest ttl and the longest key", async () => {
    const { server } = await open();
    await said(server, "shared_memory_write", { namespace: "n".repeat(128), key: "k".repeat(128), value: 1, ttl: 604_800 });
    expect(await said(server, "shared_memory_list", {})).toBe(`## Shared Memory Namespaces\n\n- ${"n".repeat(128)}`);
  });

  it("writes only onto what the caller has seen, when asked to", async () => {
    const { server } = await open();
    await said(server, "shared_memory_write", { ...K, value: 1, ifUpdatedAt: "" });
    const refused = await refusal(server, "shared_memory_write", { ...K, value: 2, ifUpdatedAt: "" });
    const [seen] = refused.match(TIME) ?? [];
    expect(refused).toContain("nothing was written");
    await said(server, "shared_memory_write", { ...K, value: 2, ifUpdatedAt: seen });
    await refusal(server, "shared_memory_write", { ...K, value: 3, ifUpdatedAt: seen });
    expect(await said(server, "shared_memory_read", K)).toContain("```json\n2\n```");
    await said(server, "shared_memory_delete", K);
    expect(await refusal(server, "shared_memory_write", { ...K, value: 4, ifUpdatedAt: seen })).toContain("it does not exist now");
  });

  it("counts in what several callers add to one number", async () => {
    const { server } = await open();
    const add = async () => {
      for (;;) {
        const { text } = await server.call("shared_memory_read", K);
        const value = Number(/```json\n(\d+)\n```/.exec(text)?.[1] ?? 0);
        const ifUpdatedAt = /Updated:\*\* (\S+)/.exec(text)?.[1] ?? "";
        const { isError } = await server.call("shared_memory_write", { ...K, value: value + 1, ifUpdatedAt });
        if (!isError) return;
      }
    };
    await Promise.all(Array.from({ length: 12 }, add));
    expect(await said(server, "shared_memory_read", K)).toContain("```json\n12\n```");
  });

  it("replaces what is no entry, but not an entry whose key differs in case alone", async () => {
    const { project, server } = await open();
    await plant(file(project, "ns", "k"), "{ half");
    await said(server, "shared_memory_write", { ...K, value: 1 });
    // As on a disk that takes both names for one.
    await plant(file(project, "ns", "low"), entryOf("LOW"));
    expect(await refusal(server, "shared_memory_write", { ...K, key: "low" })).toContain('from the existing key "LOW"');
    expect(await said(server, "shared_memory_delete", { ...K, key: "low" })).toContain("not found");
    expect(await json(file(project, "ns", "low"))).toMatchObject({ key: "LOW" });
  });
});

describe("read", () => {
  it("shows an entry and its times", async () => {
    const { project, server } = await open();
    await plant(file(project, "ns", "k"), entryOf("k", { value: { a: 1 }, ttl: 9, expiresAt: FUTURE }));
    expect((await server.call("shared_memory_read", K)).text).toBe(
      `## Shared Memory Entry\n\n- **Namespace:** ns\n- **Key:** k\n- **Created:** ${PAST}\n- **Updated:** ${PAST}\n- **Expires:** ${FUTURE}\n\n` +
        '### Value\n\n```json\n{\n  "a": 1\n}\n```',
    );
  });

  it("finds nothing where there is nothing, and makes no folders", async () => {
    const { project, server } = await open();
    expect(await said(server, "shared_memory_read", K)).toBe('Key "k" not found in namespace "ns" (or has expired).');
    expect(await readdir(project.root)).toEqual([".git"]);
  });

  it("finds nothing after the end, and takes the file away", async () => {
    const { project, server } = await open();
    await plant(file(project, "ns", "k"), entryOf("k", { ttl: 1, expiresAt: PAST }));
    expect(await said(server, "shared_memory_read", K)).toContain("(or has expired)");
    expect(await readdir(dirname(file(project, "ns", "k")))).toEqual([]);
  });

  it.each([["broken JSON", "{ half"], ["another key's entry", entryOf("other")], ["no entry", { value: 1 }], ["nothing", ""]])(
    "takes %s for no entry and leaves it alone",
    async (_what, content) => {
      const { project, server } = await open();
      await plant(file(project, "ns", "k"), content);
      expect(await said(server, "shared_memory_read", K)).toContain("not found");
      expect(await readdir(dirname(file(project, "ns", "k")))).toEqual(["k.json"]);
    },
  );
});

describe("list", () => {
  it("names the namespaces that can be read, sorted", async () => {
    const { project, server } = await open();
    expect(await said(server, "shared_memory_list", {})).toBe("No shared memory namespaces found.");
    for (const name of ["zeta", "alpha"]) await plant(file(project, name, "k"), entryOf("k"));
    for (const name of [".hidden", "a b", "_x"]) await mkdir(join(project.omc, "state", "shared-memory", name));
    await plant(join(project.omc, "state", "shared-memory", "file.json"), "{}");
    expect(await said(server, "shared_memory_list", {})).toBe("## Shared Memory Namespaces\n\n- alpha\n- zeta");
  });

  it("names the keys of a namespace, sorted, without the expired, the foreign and the broken", async () => {
    const { project, server } = await open();
    await plant(file(project, "ns", "b"), entryOf("b", { expiresAt: FUTURE, ttl: 5 }));
    await plant(file(project, "ns", "a"), entryOf("a"));
    await plant(file(project, "ns", "old"), entryOf("old", { expiresAt: PAST, ttl: 5 }));
    await plant(file(project, "ns", "foreign"), { value: 1 });
    await plant(file(project, "ns", "broken"), "{");
    await plant(file(project, "ns", "_odd"), entryOf("_odd"));
    await plant(`${file(project, "ns", "a")}.tmp.1.2`, entryOf("a"));
    await mkdir(file(project, "ns", "folder"));
    expect((await server.call("shared_memory_list", { namespace: "ns" })).text).toBe(
      `## Shared Memory: ns\n\n2 entries:\n\n- **a** (updated: ${PAST})\n- **b** (updated: ${PAST}) [expires: ${FUTURE}]`,
    );
    expect(await readdir(join(project.omc, "state", "shared-memory", "ns"))).toContain("old.json");
    expect(await said(server, "shared_memory_list", { namespace: "none" })).toBe('No entries in namespace "none".');
  });
});

describe("delete", () => {
  it("deletes what is there, also what cannot be read", async () => {
    const { project, server } = await open();
    await plant(file(project, "ns", "k"), entryOf("k"));
    await plant(file(project, "ns", "broken"), "{");
    expect(await said(server, "shared_memory_delete", K)).toBe('Deleted key "k" from namespace "ns".');
    expect(await said(server, "shared_memory_delete", K)).toBe('Key "k" not found in namespace "ns" (or has expired).');
    expect(await said(server, "shared_memory_delete", { ...K, key: "broken" })).toContain("Deleted");
    expect(await readdir(join(project.omc, "state", "shared-memory", "ns"))).toEqual([]);
  });
});

describe("cleanup", () => {
  it("removes what has expired and says where", async () => {
    const { project, server } = await open();
    expect(await said(server, "shared_memory_cleanup", {})).toBe("No expired entries found.");
    for (const [namespace, key, expiresAt] of [["b", "1", PAST], ["b", "2", PAST], ["a", "1", PAST], ["c", "1", FUTURE]] as const) {
      await plant(file(project, namespace, key), entryOf(key, { expiresAt, ttl: 1 }));
    }
    expect(await said(server, "shared_memory_cleanup", { namespace: "a" })).toBe(
      "## Cleanup Results\n\n- **Removed:** 1 expired entries\n- **Namespaces cleaned:** a",
    );
    await plant(file(project, "a", "1"), entryOf("1", { expiresAt: PAST, ttl: 1 }));
    expect(await said(server, "shared_memory_cleanup", {})).toBe(
      "## Cleanup Results\n\n- **Removed:** 3 expired entries\n- **Namespaces cleaned:** a, b",
    );
    expect(await readdir(join(project.omc, "state", "shared-memory"))).toEqual(["a", "b", "c"]);
    expect(await readdir(join(project.omc, "state", "shared-memory", "c"))).toEqual(["1.json"]);
  });
});

describe("the switch", () => {
  const off = { agents: { sharedMemory: { enabled: false } } };
  const tools = ["write", "read", "list", "delete", "cleanup"].map((name) => `shared_memory_${name}`);

  it("turns every tool off and on again while the server runs", async () => {
    const { project, server } = await open();
    const config = join(project.home, ".claude", ".omc-config.json");
    await plant(config, off);
    for (const tool of tools) expect(await refusal(server, tool, K)).toContain("Shared memory is disabled");
    await plant(config, { agents: { sharedMemory: { enabled: true } } });
    for (const tool of tools) await said(server, tool, K);
    await plant(config, "{ not json");
    for (const tool of tools) await said(server, tool, K);
  });

  it("is found in CLAUDE_CONFIG_DIR, where ~ is home", async () => {
    const { project, server } = await open({ CLAUDE_CONFIG_DIR: "~/elsewhere/" });
    await plant(join(project.home, "elsewhere", ".omc-config.json"), off);
    expect(await refusal(server, "shared_memory_list", {})).toContain("Shared memory is disabled");
  });
});

describe("the project", () => {
  it("is that of workingDirectory: a worktree its own, a stranger refused", async () => {
    const { project, server } = await open();
    const tree = join(project.folder, "tree");
    await git(project.root, "worktree", "add", "--quiet", tree);
    await said(server, "shared_memory_write", { ...K, value: "tree", workingDirectory: tree });
    expect(await json(file({ ...project, omc: join(tree, ".omc") }, "ns", "k"))).toMatchObject({ value: "tree" });
    expect(await said(server, "shared_memory_read", K)).toContain("not found");

    const stranger = await makeRepository(project.folder, "stranger");
    const refused = await refusal(server, "shared_memory_write", { ...K, value: 1, workingDirectory: stranger });
    expect(refused).toMatch(/^Error writing shared memory: .*belongs to a different repository than 'project' and was not used$/);
    expect(await readdir(stranger)).toEqual([".git"]);
  });

  it.each([["write", "writing"], ["read", "reading"], ["list", "listing"], ["delete", "deleting"], ["cleanup", "cleaning"]])(
    "must be one, for %s too",
    async (tool, doing) => {
      const { server } = await open();
      const refused = await refusal(server, `shared_memory_${tool}`, { ...K, workingDirectory: "/no/such/folder" });
      expect(refused).toMatch(new RegExp(`^Error ${doing} shared memory: .*git probe failed and was not used`));
    },
  );

  it("cannot be left through links that a repository ships", async () => {
    const { project, server } = await open();
    const outside = join(project.folder, "outside");
    await plant(join(outside, "k.json"), entryOf("k"));
    await mkdir(join(project.omc, "state", "shared-memory", "real"), { recursive: true });
    await symlink(outside, join(project.omc, "state", "shared-memory", "ns"));
    await symlink(join(outside, "k.json"), file(project, "real", "k"));
    expect(await refusal(server, "shared_memory_write", { ...K, value: 2 })).toContain("is a symbolic link and was not used");
    expect(await refusal(server, "shared_memory_read", K)).toContain("is a symbolic link");
    expect(await refusal(server, "shared_memory_read", { ...K, namespace: "real" })).toContain("is a symbolic link");
    expect(await said(server, "shared_memory_list", {})).toBe("## Shared Memory Namespaces\n\n- real");
    expect(await said(server, "shared_memory_list", { namespace: "real" })).toContain("No entries");
    expect(await json(join(outside, "k.json"))).toMatchObject({ value: 1 });
  });

  it("tells no absolute path when the disk refuses", async () => {
    const { project, server } = await open();
    await plant(join(project.omc, "state", "shared-memory"), "a file where a folder should be");
    await chmod(join(project.omc, "state", "shared-memory"), 0o600);
    const refused = await refusal(server, "shared_memory_write", { ...K, value: 1 });
    expect(refused).toMatch(/^Error writing shared memory: E[A-Z]+: /);
    expect(refused).not.toContain(project.folder);
  });

  it("without a repository reads and deletes what older versions kept for all directories", async () => {
    const project = await makeProject();
    const place = join(project.folder, "plain");
    await mkdir(place);
    const shared = { ...project, omc: join(project.home, ".omc") };
    await plant(file(shared, "ns", "k"), entryOf("k", { value: "old" }));
    const server = await startServer({ ...project, root: place });
    expect(await said(server, "shared_memory_read", K)).toContain('"old"');
    expect(await said(server, "shared_memory_list", {})).toContain("- ns");
    await said(server, "shared_memory_write", { ...K, value: "new" });
    expect(await json(file(shared, "ns", "k"))).toMatchObject({ value: "old" });
    expect(await said(server, "shared_memory_read", K)).toContain('"new"');
    await said(server, "shared_memory_delete", K);
    expect(await said(server, "shared_memory_read", K)).toContain("not found");
  });
});
