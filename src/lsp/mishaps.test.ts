/** Language servers that hang, crash, flood or will not die cost one call, and leave nothing behind. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { HoverRequest } from "vscode-languageserver-protocol/node";
import { isRunning } from "../lib/process-owner.js";
import { installFake } from "../test-support/fake-language-server.js";
import { eventually, fakeWorkspace } from "../test-support/fake-workspace.js";
import { temporaryFolder } from "../test-support/folders.js";
import { endAllServers } from "./sessions.js";
import type { Session } from "./session.js";

async function hover(session: Session, file: string, signal?: AbortSignal): Promise<string> {
  const { uri } = await session.open(file);
  const answer = await session.request(HoverRequest.type, { textDocument: { uri }, position: { line: 0, character: 0 } }, signal);
  return String(answer?.contents);
}

test("a request that is not answered runs out of time and is cancelled; the server stays", async () => {
  const fake = await fakeWorkspace({ delay: { "textDocument/hover": 1_000 } });
  await fake.inSession(async () => {});
  vi.stubEnv("OMC_LSP_TIMEOUT_MS", "300");
  await expect(fake.inSession(hover)).rejects.toThrow("textDocument/hover timed out after 300 ms");
  await eventually(async () => expect(await fake.told("$/cancelRequest")).toHaveLength(1));
  vi.stubEnv("OMC_LSP_TIMEOUT_MS", "5000");
  expect(await fake.inSession(hover)).toMatch(/^version 1/);
  expect(await fake.starts()).toBe(1);
});

test("a call that the client cancels is cancelled on the server", async () => {
  const fake = await fakeWorkspace({ hang: ["textDocument/hover"] });
  const abort = new AbortController();
  const asked = fake.inSession((session, file) => hover(session, file, abort.signal), "a.lua", abort.signal);
  const refused = expect(asked).rejects.toThrow("textDocument/hover was cancelled");
  await eventually(async () => expect(await fake.told("textDocument/hover")).toHaveLength(1));
  abort.abort();
  await refused;
  await eventually(async () => expect(await fake.told("$/cancelRequest")).toHaveLength(1));
});

test("a server that answers nothing any more is ended, and the next call has a new one", async () => {
  const fake = await fakeWorkspace({ hang: ["textDocument/hover"], publish: "never" });
  await fake.inSession(async (session, file) => session.open(file));
  vi.stubEnv("OMC_LSP_TIMEOUT_MS", "200");
  for (let count = 0; count < 3; count++) await expect(fake.inSession(hover)).rejects.toThrow("timed out");
  vi.stubEnv("OMC_LSP_TIMEOUT_MS", "5000");
  await fake.inSession(async (session, file) => session.open(file));
  expect(await fake.starts()).toBe(2);
});

test("a crash rejects all waiting calls with its reason, without stack traces", async () => {
  const fake = await fakeWorkspace({ crash: ["textDocument/documentSymbol"], hang: ["textDocument/hover"] });
  const { DocumentSymbolRequest } = await import("vscode-languageserver-protocol/node");
  const waiting = expect(fake.inSession(hover)).rejects.toThrow("exited (code 3); its last words:\nfatal: the fake gave up");
  await eventually(async () => expect(await fake.told("textDocument/hover")).toHaveLength(1));
  const crashing = fake.inSession(async (session, file) => {
    const { uri } = await session.open(file);
    return session.request(DocumentSymbolRequest.type, { textDocument: { uri } });
  });
  await expect(crashing).rejects.toThrow(/^(?!.*at somewhere).*code 3/s);
  await waiting;
});

test("after a crash the next call starts a new server; one that keeps crashing is left alone", async () => {
  const fake = await fakeWorkspace({ crash: ["textDocument/hover"] });
  for (let count = 0; count < 3; count++) await expect(fake.inSession(hover)).rejects.toThrow("exited (code 3)");
  await expect(fake.inSession(hover)).rejects.toThrow(/failed 3 times within a minute .* the fake gave up/s);
  expect(await fake.starts()).toBe(3);
});

test("a server that does not initialize is ended", async () => {
  vi.stubEnv("OMC_LSP_TIMEOUT_MS", "400");
  const fake = await fakeWorkspace({ hang: ["initialize"], ignoreTerm: true, ignoreExit: true });
  await expect(fake.inSession(hover)).rejects.toThrow("initialize timed out after 400 ms");
  const [{ started } = {}] = await fake.heard();
  expect(await isRunning({ pid: started as number })).toBe(false);
});

test("a server that is known to start slowly has its time", async () => {
  const fake = await fakeWorkspace();
  const kotlin = await installFake("kotlin-lsp", { delay: { initialize: 1_200 } });
  vi.stubEnv("PATH", kotlin.path);
  vi.stubEnv("OMC_LSP_TIMEOUT_MS", "700");
  await fake.write("a.kt", "");
  expect(await fake.inSession(async (session) => session.name, "a.kt")).toBe("Kotlin Language Server");
});

test.each([
  ["initialize", {}, "answered initialize without its capabilities"],
  ["textDocument/hover", "{bad", undefined],
])("a senseless answer to %s does no harm", async (method, result, why) => {
  const fake = await fakeWorkspace({ results: { [method]: result } });
  const asked = fake.inSession(hover);
  await (why === undefined ? expect(asked).resolves.toBe("undefined") : expect(asked).rejects.toThrow(why));
});

test("many calls at once, some of which crash the server, all come to an end", async () => {
  const fake = await fakeWorkspace({ crash: ["textDocument/documentSymbol"], delay: { "textDocument/hover": 20 } });
  const { DocumentSymbolRequest } = await import("vscode-languageserver-protocol/node");
  const calls = Array.from({ length: 60 }, (_, index) =>
    fake.inSession((session, file): Promise<unknown> =>
      index % 20 === 19 ? session.request(DocumentSymbolRequest.type, { textDocument: { uri: file } }) : hover(session, file),
    ),
  );
  const reasons = (await Promise.allSettled(calls)).flatMap((one) => (one.status === "rejected" ? String(one.reason) : []));
  expect(reasons.filter((reason) => !/code 3|failed 3 times/.test(reason))).toEqual([]);
  expect(reasons.length).toBeGreaterThan(2);
});

test("a program that is no language server says what it wrote", async () => {
  const fake = await fakeWorkspace({ crash: ["initialize"] });
  await expect(fake.inSession(hover)).rejects.toThrow("Lua Language Server exited (code 3); its last words:\nfatal: the fake gave up");
});

test.each(["stderr", "badHeader", "badJson", "notifications"] as const)("%s noise costs nothing", async (kind) => {
  const fake = await fakeWorkspace({ noise: { "textDocument/hover": kind } });
  expect(await fake.inSession(hover)).toMatch(/^version 1/);
  expect(await fake.starts()).toBe(1);
});

test.each([
  ["stdout", "it wrote something other than protocol messages"],
  ["hugeFrame", "it wrote a message of 99999999999 bytes"],
] as const)("%s noise costs that server", async (kind, why) => {
  const fake = await fakeWorkspace({ noise: { "textDocument/hover": kind } });
  await expect(fake.inSession(hover)).rejects.toThrow(why);
  await expect(fake.inSession(hover)).rejects.toThrow(why);
  expect(await fake.starts()).toBe(2);
});

test("a line before the first message is passed over", async () => {
  const fake = await fakeWorkspace({ greeting: "Welcome\n" });
  expect(await fake.inSession(hover)).toMatch(/^version 1/);
});

test("ending takes the whole tree, though it ignores every request", async () => {
  const child = join(await temporaryFolder("omc-child-"), "pid");
  const fake = await fakeWorkspace({ ignoreTerm: true, ignoreExit: true, hang: ["shutdown"], child });
  await fake.inSession(hover);
  const [{ started } = {}] = await fake.heard();
  const grandchild = Number(await readFile(child, "utf8"));
  const before = Date.now();
  await endAllServers();
  expect(Date.now() - before).toBeLessThan(10_000);
  for (const pid of [started as number, grandchild]) await eventually(async () => expect(await isRunning({ pid })).toBe(false));
});

test("ending waits for a server that is already being ended", async () => {
  vi.stubEnv("OMC_LSP_IDLE_TIMEOUT_MS", "300");
  vi.stubEnv("OMC_LSP_IDLE_CHECK_INTERVAL_MS", "30");
  const fake = await fakeWorkspace({ ignoreTerm: true, ignoreExit: true, hang: ["shutdown"] });
  await fake.inSession(hover);
  await eventually(async () => expect(await fake.told("shutdown")).toHaveLength(1));
  await endAllServers();
  const [{ started } = {}] = await fake.heard();
  expect(await isRunning({ pid: started as number })).toBe(false);
});

test("ending while a server starts ends it too", async () => {
  const fake = await fakeWorkspace({ hang: ["initialize"] });
  const asked = expect(fake.inSession(hover)).rejects.toThrow("cancelled");
  await eventually(async () => expect(await fake.told("initialize")).toHaveLength(1));
  await endAllServers();
  await asked;
  const [{ started } = {}] = await fake.heard();
  expect(await isRunning({ pid: started as number })).toBe(false);
});

test("a request that the server's own changes made void is sent again", async () => {
  const fake = await fakeWorkspace({ errors: { "textDocument/hover": { code: -32801, message: "content modified", times: 2 } } });
  expect(await fake.inSession(hover)).toMatch(/^version 1/);
  expect(await fake.told("textDocument/hover")).toHaveLength(3);
});

test("an error of the server is told without its stack trace", async () => {
  const fake = await fakeWorkspace({ errors: { "textDocument/hover": { code: -32603, message: "no project\n    at a (b.js:1:1)" } } });
  await expect(fake.inSession(hover)).rejects.toThrow(/^the language server refused: no project$/);
});
