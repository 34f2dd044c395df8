/** Sessions with a scripted server: how it is found, shared and kept in step with the disk. */
import { symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { HoverRequest } from "vscode-languageserver-protocol/node";
import { eventually, fakeWorkspace } from "../test-support/fake-workspace.js";
import { endAllServers, languageOf, supports, withSession } from "./sessions.js";
import type { Session } from "./session.js";

/** Opens the file and asks about its first character. */
async function hover(session: Session, file: string): Promise<string> {
  const { uri } = await session.open(file);
  const answer = await session.request(HoverRequest.type, { textDocument: { uri }, position: { line: 0, character: 0 } });
  return String(answer?.contents);
}

test("says what it is and asks for everything it uses", async () => {
  const fake = await fakeWorkspace();
  await fake.inSession(hover);
  const [asked] = await fake.told("initialize");
  expect(asked).toMatchObject({
    processId: process.pid,
    clientInfo: { name: "omcbuild" },
    workspaceFolders: [{ name: "project" }],
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      workspace: { configuration: true, didChangeWatchedFiles: { dynamicRegistration: true } },
      textDocument: { diagnostic: { dynamicRegistration: true } },
      window: { workDoneProgress: true },
    },
  });
});

test("calls at once share one start", async () => {
  const fake = await fakeWorkspace();
  const answers = await Promise.all(Array.from({ length: 5 }, () => fake.inSession(hover)));
  expect(new Set(answers)).toEqual(new Set(["version 1, 9 characters, loaded: print(1)\n"]));
  expect(await fake.starts()).toBe(1);
  expect(await fake.told("textDocument/didOpen")).toHaveLength(1);
});

test("a file that changed on the disk is sent again and saved, an unchanged one is not", async () => {
  const fake = await fakeWorkspace();
  await fake.inSession(hover);
  await fake.write("a.lua", "print(22)\n");
  expect(await fake.inSession(hover)).toBe("version 2, 10 characters, loaded: print(22)\n");
  expect(await fake.inSession(hover)).toMatch(/^version 2/);
  expect(await fake.told("textDocument/didChange")).toHaveLength(1);
  expect(await fake.told("textDocument/didSave")).toHaveLength(1);
});

test("other open documents follow the disk too, and are closed when their file is gone", async () => {
  const fake = await fakeWorkspace();
  await fake.write("b.lua", "b = 1\n");
  await fake.inSession(hover, "b.lua");
  await fake.write("b.lua", "b = 2\n");
  await fake.inSession(hover);
  expect(await fake.told("textDocument/didChange")).toMatchObject([{ contentChanges: [{ text: "b = 2\n" }] }]);
  await unlink(join(fake.root, "b.lua"));
  await fake.inSession(hover);
  expect(await fake.told("textDocument/didClose")).toHaveLength(1);
});

test("files that are not open are reported to a server that watches them", async () => {
  const watchers = [{ globPattern: "**/*.lua" }];
  const registrations = [{ id: "1", method: "workspace/didChangeWatchedFiles", registerOptions: { watchers } }];
  const fake = await fakeWorkspace({ asks: [{ method: "client/registerCapability", params: { registrations } }] });
  await fake.write("sub/b.lua", "b = 1\n");
  await fake.write("gone.lua", "");
  await fake.inSession(hover);
  await eventually(async () => expect(await fake.heard()).toContainEqual(expect.objectContaining({ answerTo: "client/registerCapability" })));
  await fake.inSession(hover);
  await fake.write("sub/b.lua", "b = 23\n");
  await fake.write("new.lua", "");
  await unlink(join(fake.root, "gone.lua"));
  await fake.inSession(hover);
  const [told = {}] = await fake.told("workspace/didChangeWatchedFiles");
  const changes = (told["changes"] as { uri: string; type: number }[]).map(({ uri, type }) => `${type} ${uri.split("/project/")[1]}`);
  expect(changes.sort()).toEqual(["1 new.lua", "2 sub/b.lua", "3 gone.lua"]);
});

test("only so many documents stay open", async () => {
  const fake = await fakeWorkspace();
  for (let count = 0; count < 40; count++) {
    await fake.write(`many/${count}.lua`, "");
    await fake.inSession(hover, `many/${count}.lua`);
  }
  await eventually(async () => {
    const [opened, closed] = [await fake.told("textDocument/didOpen"), await fake.told("textDocument/didClose")];
    expect([opened.length, closed.length]).toEqual([40, 8]);
  });
});

test("a document that only one call needed is closed on demand, one that another uses is not", async () => {
  const fake = await fakeWorkspace();
  await fake.inSession(async (session, file) => {
    const document = await session.open(file);
    await fake.inSession(async (other) => other.close(await other.open(file)));
    expect(await hover(session, file)).toMatch(/^version 1/);
    expect(await fake.told("textDocument/didClose")).toHaveLength(0);
    await session.close(document);
    await session.close(document);
    await hover(session, file);
  });
  await eventually(async () => expect(await fake.told("textDocument/didClose")).toHaveLength(1));
});

test("one server for the nested folders of a repository, and for a link into it", async () => {
  const fake = await fakeWorkspace();
  await fake.write("one/package.json", "{}");
  await fake.write("one/a.lua", "one()\n");
  await fake.write("two/a.lua", "two()\n");
  await symlink(join(fake.root, "one"), join(fake.root, "three"));
  for (const name of ["one/a.lua", "two/a.lua", "three/a.lua"]) await fake.inSession(hover, name);
  expect(await fake.starts()).toBe(1);
  expect(await fake.told("textDocument/didOpen")).toHaveLength(2);
});

test("what a server asks is answered, and nothing is applied", async () => {
  const asks = [
    { method: "workspace/configuration", params: { items: [{ section: "lua" }, {}] } },
    { method: "workspace/workspaceFolders", params: null },
    { method: "workspace/applyEdit", params: { edit: { changes: {} } } },
    { method: "window/showMessageRequest", params: { type: 1, message: "well?", actions: [{ title: "yes" }] } },
    { method: "client/registerCapability", params: { registrations: [{ id: "1", method: "x" }] } },
    { method: "client/unregisterCapability", params: { unregisterations: [{ id: "1", method: "x" }] } },
  ];
  const fake = await fakeWorkspace({ asks });
  await fake.inSession(hover);
  await eventually(async () => {
    const answers = (await fake.heard()).filter(({ answerTo }) => answerTo !== undefined);
    expect(answers.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(answers.map(({ answerTo, result }) => [answerTo, result])).toEqual([
      ["workspace/configuration", [null, null]],
      ["workspace/workspaceFolders", [{ uri: expect.stringMatching(/^file:.*project$/), name: "project" }]],
      ["workspace/applyEdit", { applied: false, failureReason: expect.any(String) }],
      ["window/showMessageRequest", null],
      ["client/registerCapability", null],
      ["client/unregisterCapability", null],
    ]);
  });
});

test("says what is missing", async () => {
  const fake = await fakeWorkspace();
  await fake.write("a.xyz", "");
  await fake.write("b.ex", "");
  await expect(fake.inSession(hover, "a.xyz")).rejects.toThrow(/^No language server available for file type: /);
  await expect(fake.inSession(hover, "no.lua")).rejects.toThrow(/^File not found: .*no\.lua$/);
  await expect(fake.inSession(hover, "b.ex")).rejects.toThrow(/^Language server 'elixir-ls' not found\.\nInstall with: the instructions at https:/);
  await expect(fake.inSession(async (session) => session.open(fake.root))).rejects.toThrow(/is a folder; name a file in it$/);
});

test("a file that need not be there only chooses the server", async () => {
  const fake = await fakeWorkspace();
  const name = await withSession(join(fake.root, "deep/er/no.lua"), undefined, async (session) => session.root, { mustExist: false });
  expect(name).toBe(fake.root);
});

test("an unused server is ended after a while, one in use is not", async () => {
  vi.stubEnv("OMC_LSP_IDLE_TIMEOUT_MS", "700");
  vi.stubEnv("OMC_LSP_IDLE_CHECK_INTERVAL_MS", "30");
  const fake = await fakeWorkspace({ delay: { "textDocument/hover": 1_500 } });
  await fake.inSession(hover);
  expect(await fake.told("shutdown")).toHaveLength(0);
  await eventually(async () => expect(await fake.told("exit")).toHaveLength(1));
  await fake.inSession(hover);
  expect(await fake.starts()).toBe(2);
});

test("servers beyond the eighth make room", async () => {
  const fake = await fakeWorkspace();
  for (let count = 0; count < 10; count++) {
    await fake.write(`apart/${count}/.git/HEAD`, "");
    await fake.inSession(hover, (await fake.write(`apart/${count}/a.lua`, "")).slice(fake.root.length + 1));
  }
  await eventually(async () => expect(await fake.told("exit")).toHaveLength(2));
  await endAllServers();
  expect(await fake.told("exit")).toHaveLength(10);
});

test("knows which paths have a server, and their languages", () => {
  expect(["a.ts", "B.PYI", "a.tf", "a.xyz", "Makefile"].map(supports)).toEqual([true, true, true, false, false]);
  expect(["a.htm", "a.pyw", "a.hxx", "a.svh", "tsconfig.json", "a.xyz"].map(languageOf)).toEqual([
    "html", "python", "cpp", "systemverilog", "jsonc", undefined,
  ]);
});
