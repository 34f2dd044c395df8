/** Language servers in dev containers, with a scripted Docker command. */
import { chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { DefinitionRequest } from "vscode-languageserver-protocol/node";
import type { FakeScript } from "../test-support/fake-language-server.js";
import { fakeWorkspace, type FakeWorkspace } from "../test-support/fake-workspace.js";
import { score } from "./dev-container.js";
import type { Session } from "./session.js";

interface Inspected {
  Id: string;
  State?: { Running: boolean };
  Config?: { Labels: Record<string, string> };
  Mounts?: { Type: string; Source: string; Destination: string }[];
}

/** A `docker` that knows these containers, writes down what it is asked, and runs programs of `exec` here. */
async function fakeDocker(fake: FakeWorkspace, containers: Inspected[]): Promise<() => Promise<string[]>> {
  const [answer, calls] = [join(fake.folder, "inspect.json"), join(fake.folder, "docker-calls")];
  await writeFile(answer, JSON.stringify(containers));
  const script = `#!/bin/sh
echo "$*" >> '${calls}'
case "$1" in
  ps) echo ${containers.map(({ Id }) => Id).join(" ")} ;;
  inspect) cat '${answer}' ;;
  exec) shift 5; exec "$@" ;;
esac
`;
  await writeFile(join(fake.folder, "docker"), script);
  await chmod(join(fake.folder, "docker"), 0o755);
  return async () => (await readFile(calls, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
}

async function withConfiguration(script: FakeScript = {}): Promise<FakeWorkspace> {
  const fake = await fakeWorkspace(script);
  await fake.write(".devcontainer/devcontainer.json", '{ // the container\n "workspaceFolder": "/workspaces/project", }');
  return fake;
}

const mounted = (root: string) => [{ Type: "bind", Source: root, Destination: "/workspaces/project" }];

async function define(session: Session, file: string): Promise<string[]> {
  const { uri } = await session.open(file);
  const answer = await session.request(DefinitionRequest.type, { textDocument: { uri }, position: { line: 0, character: 0 } });
  return [answer].flat().map((one) => session.pathOf((one as { uri: string }).uri));
}

test("without a configuration Docker is not asked at all", async () => {
  const fake = await fakeWorkspace();
  const calls = await fakeDocker(fake, []);
  await fake.inSession(async () => {});
  expect(await calls()).toEqual([]);
});

test("a server runs in the workspace's container, and paths are translated both ways", async () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const uris = ["file:///workspaces/project/sub/%40x/b.lua", "file:///usr/share/lua/c.lua"];
  const fake = await withConfiguration({ results: { "textDocument/definition": uris.map((uri) => ({ uri, range })) } });
  const calls = await fakeDocker(fake, [
    { Id: "aaa", Mounts: [] },
    { Id: "bbb", Config: { Labels: { "devcontainer.local_folder": fake.root } }, Mounts: mounted(fake.root) },
  ]);
  expect(await fake.inSession(define)).toEqual([join(fake.root, "sub/@x/b.lua"), "/usr/share/lua/c.lua"]);
  expect(await fake.told("initialize")).toMatchObject([{ processId: null, rootUri: "file:///workspaces/project" }]);
  expect(await fake.told("textDocument/didOpen")).toMatchObject([{ textDocument: { uri: "file:///workspaces/project/a.lua" } }]);
  expect((await calls()).at(-1)).toBe("exec -i -w /workspaces/project bbb lua-language-server");
  const asked = (await calls()).length;
  await fake.inSession(define);
  expect(await calls()).toHaveLength(asked);
});

test("diagnostics that are pushed under the container's URI count", async () => {
  const fake = await withConfiguration();
  await fakeDocker(fake, [{ Id: "bbb", Config: { Labels: { "devcontainer.local_folder": fake.root } } }]);
  await fake.write("a.lua", "BAD\n");
  const diagnosis = await fake.inSession(async (session, file) => session.diagnose(await session.open(file), 10_000));
  expect(diagnosis).toMatchObject({ state: "found", items: [{ message: "a bad word" }] });
});

test("a container named by the environment is taken, one that does not run is not", async () => {
  const fake = await fakeWorkspace();
  vi.stubEnv("OMC_LSP_CONTAINER_ID", "mine");
  const calls = await fakeDocker(fake, [{ Id: "mine", Mounts: mounted(dirname(fake.root)) }]);
  await fake.inSession(async () => {});
  expect(await calls()).toEqual(["inspect --type container mine", "exec -i -w /workspaces/project/project mine lua-language-server"]);
  vi.stubEnv("OMC_LSP_CONTAINER_ID", "other");
  await fakeDocker(fake, [{ Id: "other", State: { Running: false } }]);
  await fake.inSession(async (session) => expect(session.pathOf("file:///workspaces/project")).toBe("/workspaces/project"));
});

test("a Docker that does not answer, or is not there, means this machine", async () => {
  const fake = await withConfiguration();
  await writeFile(join(fake.folder, "docker"), "#!/bin/sh\necho nonsense; exit 1\n");
  await chmod(join(fake.folder, "docker"), 0o755);
  await fake.inSession(async (session) => expect(session.root).toBe(fake.root));
  expect(await fake.told("initialize")).toMatchObject([{ processId: process.pid }]);
});

test("a Docker that hangs is given up, once, and holds up nothing else", async () => {
  const fake = await withConfiguration();
  const calls = join(fake.folder, "docker-calls");
  await writeFile(join(fake.folder, "docker"), `#!/bin/sh\necho "$*" >> '${calls}'\nexec sleep 60\n`);
  await chmod(join(fake.folder, "docker"), 0o755);
  const elsewhere = await fakeWorkspace();
  vi.stubEnv("PATH", fake.path);
  let isHeldUp = true;
  const heldUp = fake.inSession(async (session) => expect(session.root).toBe(fake.root)).then(() => (isHeldUp = false));
  await elsewhere.inSession(async () => {});
  expect(isHeldUp).toBe(true);
  await heldUp;
  await fake.inSession(async () => {});
  expect(await readFile(calls, "utf8")).toBe("ps -q --no-trunc\n");
});

test("a server that is not in the container is said to be missing", async () => {
  const fake = await withConfiguration();
  await fake.write("b.ex", "");
  await fakeDocker(fake, [{ Id: "bbb", Mounts: mounted(fake.root) }]);
  await expect(fake.inSession(async () => {}, "b.ex")).rejects.toThrow(/^Language server 'elixir-ls' not found\.\nInstall with: .*, in the dev container$/);
});

test("labels count more than mounts", () => {
  const configuration = { folder: "/srv/x", file: "/srv/x/.devcontainer.json", workspaceFolder: undefined };
  const rate = (labels: Record<string, string>, mounts = [{ source: "/srv", destination: "/w" }]) =>
    score({ id: "a", labels, mounts }, "/srv/x/sub", configuration);
  expect(rate({}, [])).toBe(0);
  expect(rate({})).toBe(1);
  expect(rate({ "vsch.config.file": configuration.file })).toBe(4);
  expect(rate({ "devcontainer.local_folder": "/srv/x", "vsch.local.folder": "/srv/x" })).toBe(9);
});
