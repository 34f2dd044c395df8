/** What is told about problems: only what the server said about the present text, and silence is not praise. */
import { expect, test, vi } from "vitest";
import { HoverRequest } from "vscode-languageserver-protocol/node";
import { fakeWorkspace, type FakeWorkspace } from "../test-support/fake-workspace.js";
import type { FakeScript } from "../test-support/fake-language-server.js";
import type { Diagnosis } from "./session.js";

function diagnose(fake: FakeWorkspace, name = "a.lua", waitMs = 10_000): Promise<Diagnosis> {
  return fake.inSession(async (session, file) => session.diagnose(await session.open(file), waitMs), name);
}

function messages(diagnosis: Diagnosis): string[] | string {
  return diagnosis.state === "found" ? diagnosis.items.map(({ message }) => String(message)) : diagnosis.state;
}

const REGISTER_PULL = {
  method: "client/registerCapability",
  params: { registrations: [{ id: "pull", method: "textDocument/diagnostic", registerOptions: {} }] },
};

test.each<[string, FakeScript]>([
  ["pushed at once", {}],
  ["pushed late", { publish: "late" }],
  ["pushed after a word about an earlier text", { publish: "stale" }],
  ["pushed in parts", { publish: "inParts" }],
  ["pulled", { pull: true }],
  ["pulled, as registered later", { publish: "never", asks: [REGISTER_PULL], results: { "textDocument/diagnostic": { kind: "full", items: [{ message: "a bad word" }] } } }],
  ["pushed by a server that claims pull", { claimsPull: true }],
  ["pushed under another spelling of the URI", { spelling: "escaped" }],
])("finds a problem that is %s", async (_, script) => {
  const fake = await fakeWorkspace(script);
  await fake.write("src/(group)/@x/p.lua", "BAD\n");
  expect(messages(await diagnose(fake, "src/(group)/@x/p.lua"))).toEqual(["a bad word"]);
});

test.each<[string, FakeScript]>([
  ["pushed", {}],
  ["pushed late", { publish: "late" }],
  ["pulled", { pull: true }],
])("follows the disk when %s", async (_, script) => {
  const fake = await fakeWorkspace(script);
  const seen: unknown[] = [];
  for (const text of ["BAD\n", "good\n", "good BAD\n"]) {
    await fake.write("a.lua", text);
    seen.push(messages(await diagnose(fake)));
  }
  expect(seen).toEqual([["a bad word"], "none", ["a bad word"]]);
});

test("a server that says nothing has not checked", async () => {
  const fake = await fakeWorkspace({ publish: "never" });
  expect(await diagnose(fake, "a.lua", 500)).toEqual({ state: "not-checked", why: "Lua Language Server sent no diagnostics within 0.5 s" });
});

test("an answer that does not come has not checked", async () => {
  const fake = await fakeWorkspace({ pull: true, hang: ["textDocument/diagnostic"] });
  expect(await diagnose(fake, "a.lua", 500)).toMatchObject({ state: "not-checked", why: expect.stringMatching(/^textDocument\/diagnostic timed out after \d+ ms$/) });
});

test.each<[string, FakeScript]>([
  ["pushing", { crash: ["textDocument/didOpen"] }],
  ["pulling", { pull: true, crash: ["textDocument/diagnostic"] }],
])("a server that crashes while %s has not checked", async (_, script) => {
  const fake = await fakeWorkspace(script);
  expect(await diagnose(fake)).toMatchObject({ state: "not-checked", why: expect.stringContaining("exited (code 3)") });
});

test("a file that is clean is told so quickly, though another is waited for", async () => {
  const fake = await fakeWorkspace();
  expect(messages(await diagnose(fake))).toBe("none");
});

test("waits for a project that is loading, and asks again when loading began meanwhile", async () => {
  const fake = await fakeWorkspace({ progress: { ms: 500 } });
  const answer = await fake.inSession(async (session, file) => {
    const { uri } = await session.open(file);
    return session.request(HoverRequest.type, { textDocument: { uri }, position: { line: 0, character: 0 } });
  });
  expect(answer?.contents).toContain("loaded");
});

test("says that a project is still loading when it takes too long", async () => {
  const fake = await fakeWorkspace({ progress: { ms: 10, endless: true } });
  await fake.inSession(async () => {});
  vi.stubEnv("OMC_LSP_TIMEOUT_MS", "1500");
  const [answer, loading] = await fake.inSession(async (session, file) => {
    const { uri } = await session.open(file);
    const hover = await session.request(HoverRequest.type, { textDocument: { uri }, position: { line: 0, character: 0 } });
    return [hover?.contents, session.loading];
  });
  expect(answer).toContain("loading");
  expect(loading).toBe("Loading (50 %, nearly)");
});
