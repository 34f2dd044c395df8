/** The language servers that users have, cold, on small projects. `make programs` installs them. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { DefinitionRequest, HoverRequest, type Location, type LocationLink } from "vscode-languageserver-protocol/node";
import { eventually } from "../test-support/fake-workspace.js";
import { makeProject } from "../test-support/project.js";
import { endAllServers, withSession } from "./sessions.js";
import type { Session } from "./session.js";

const SRC = fileURLToPath(new URL("..", import.meta.url));
const PROGRAMS = [join(SRC, "test-support", "programs", "node_modules", ".bin"), join(SRC, "..", "bin")];

interface Language {
  server: RegExp;
  files: Record<string, string>;
  /** The file that is looked at; it uses `addUp`, which the other defines. */
  file: string;
  other: string;
  /** Where `addUp` is called, counted from 0. */
  call: { line: number; character: number };
  /** What a hover over it says. */
  type: string;
  /** Texts of `file` with a wrong call, and of `other` with another type of `addUp`, for which the right call is wrong. */
  wrong: string;
  otherType: string;
}

const TYPESCRIPT = {
  files: {
    "tsconfig.json": '{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler" } }',
    "src/(group)/a.ts": "export function addUp(a: number): number {\n  return a;\n}\n",
    "src/(group)/b.ts": 'import { addUp } from "./a";\n\naddUp(1);\n',
  },
  file: "src/(group)/b.ts",
  other: "src/(group)/a.ts",
  call: { line: 2, character: 1 },
  type: "(a: number): number",
  wrong: 'import { addUp } from "./a";\n\naddUp("x");\n',
  otherType: "export function addUp(a: string): string {\n  return a;\n}\n",
};

const LANGUAGES: Record<string, Language> = {
  "classic TypeScript": { ...TYPESCRIPT, server: /^TypeScript Language Server$/ },
  "TypeScript 7": { ...TYPESCRIPT, server: /^TypeScript 7 Native/ },
  gopls: {
    server: /^gopls$/,
    files: {
      "go.mod": "module example.com/x\n\ngo 1.21\n",
      "a/a.go": "package a\n\nfunc AddUp(a int) int { return a }\n",
      "b/b.go": 'package b\n\nimport "example.com/x/a"\n\nvar B = a.AddUp(1)\n',
    },
    file: "b/b.go",
    other: "a/a.go",
    call: { line: 4, character: 11 },
    type: "func a.AddUp(a int) int",
    wrong: 'package b\n\nimport "example.com/x/a"\n\nvar B = a.AddUp("x")\n',
    otherType: "package a\n\nfunc AddUp(a string) string { return a }\n",
  },
  pyright: {
    server: /\(pyright\)$/,
    files: {
      "pyproject.toml": "[project]\nname = 'x'\n",
      "a.py": "def add_up(a: int) -> int:\n    return a\n",
      "b.py": "from a import add_up\n\nadd_up(1)\n",
    },
    file: "b.py",
    other: "a.py",
    call: { line: 2, character: 1 },
    type: "(a: int) -> int",
    wrong: "from a import add_up\n\nadd_up('x')\n",
    otherType: "def add_up(a: str) -> str:\n    return a\n",
  },
};

async function project({ files }: Language, native: boolean): Promise<string> {
  const { root } = await makeProject();
  onTestFinished(endAllServers);
  vi.stubEnv("PATH", [...PROGRAMS, process.env["PATH"]].join(delimiter));
  vi.stubEnv("OMC_PYTHON_LSP", "pyright");
  vi.stubEnv("OMC_LSP_TIMEOUT_MS", "40000");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  if (native) {
    await mkdir(join(root, "node_modules", ".bin"), { recursive: true });
    await symlink(join(SRC, "node_modules", "typescript"), join(root, "node_modules", "typescript"));
    await symlink(join("..", "typescript", "bin", "tsc"), join(root, "node_modules", ".bin", "tsc"));
  }
  return root;
}

async function found(session: Session, file: string): Promise<string[] | string> {
  const diagnosis = await session.diagnose(await session.open(file), 40_000);
  return diagnosis.state === "found" ? diagnosis.items.map(({ message }) => String(message)) : JSON.stringify(diagnosis);
}

test.each(Object.keys(LANGUAGES))("%s answers rightly when cold, and follows the disk", async (name) => {
  const language = LANGUAGES[name] as Language;
  const root = await project(language, name === "TypeScript 7");
  const look = <T>(work: (session: Session, file: string) => Promise<T>) => withSession(join(root, language.file), undefined, work);
  const none = JSON.stringify({ state: "none" });

  await look(async (session, file) => {
    expect(session.name).toMatch(language.server);
    const { uri } = await session.open(file);
    const at = { textDocument: { uri }, position: language.call };
    expect(JSON.stringify(await session.request(HoverRequest.type, at))).toContain(language.type);
    const definition = [await session.request(DefinitionRequest.type, at)].flat()[0] as Location | LocationLink;
    const target = "targetUri" in definition ? definition.targetUri : definition.uri;
    expect(session.pathOf(target)).toBe(join(root, language.other));
  });
  expect(await look(found)).toBe(none);

  await writeFile(join(root, language.file), language.wrong);
  expect(await look(found)).toHaveLength(1);

  await writeFile(join(root, language.file), language.files[language.file] as string);
  expect(await look(found)).toBe(none);

  await writeFile(join(root, language.other), language.otherType);
  await eventually(async () => expect(await look(found)).toHaveLength(1));
});
