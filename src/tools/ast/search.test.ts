import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { RELEASES, startAstServer } from "../../test-support/ast-grep.js";
import { makeProject, type Project } from "../../test-support/project.js";
import type { TestServer, ToolAnswer } from "../../test-support/server.js";

let project: Project;
let server: TestServer;

beforeEach(async () => {
  project = await makeProject();
  server = await startAstServer(project);
});

function search(pattern: string, more: Record<string, unknown> = {}): Promise<ToolAnswer> {
  return server.call("ast_grep_search", { pattern, language: "typescript", ...more });
}

async function files(contents: Record<string, string | Buffer>): Promise<void> {
  for (const [name, content] of Object.entries(contents)) {
    await mkdir(dirname(join(project.root, name)), { recursive: true });
    await writeFile(join(project.root, name), content);
  }
}

test("an answer has the counts, and each match with its lines", async () => {
  await files({ "a.ts": "a;\nb;\nfoo(\n  1);\nc;\nd;\n", "b.ts": "x();\n", "c.ts": "foo(2);" });
  const { text, isError } = await search("foo($A)", { context: 1 });
  expect(isError).toBe(false);
  expect(text).toBe(
    [
      "Found 2 match(es) in 3 file(s)",
      "Pattern: foo($A)",
      "Files with matches: 2",
      "",
      `${project.root}/a.ts:3`,
      "     2: b;",
      ">    3: foo(",
      ">    4:   1);",
      "     5: c;",
      "",
      "---",
      "",
      `${project.root}/c.ts:1`,
      ">    1: foo(2);",
    ].join("\n"),
  );
});

describe("a pattern that cannot be used", () => {
  const wrong: [pattern: string, says: string][] = [
    ["", "the pattern is empty"],
    ["   ", "the pattern is empty"],
    ["foo(); bar()", "2 pieces of code ('foo();', 'bar()')"],
    ["$A; $B", "2 pieces of code ('$A;', '$B')"],
    ["((( bad", "does not parse"],
    ["// only a remark\n// and another", "2 pieces of code"],
  ];

  test.each(RELEASES)("is an error that says why, and ends no server; release %s", async (release) => {
    const own = await makeProject();
    await writeFile(join(own.root, "a.ts"), "foo(1);\n");
    const its = await startAstServer(own, release);
    for (const [pattern, says] of wrong) {
      const args = { pattern, language: "typescript" };
      const answers = [await its.call("ast_grep_search", args), await its.call("ast_grep_replace", { ...args, replacement: "x" })];
      for (const { text, isError } of answers) {
        expect(isError, pattern).toBe(true);
        expect(text, pattern).toMatch(/^Error in AST (search|replace): /);
        expect(text, pattern).toContain(says);
      }
    }
    // Refused by one release, and searched for by the other.
    for (const pattern of ["$class X", "$$$", "$_f($A)é"]) {
      const { text } = await its.call("ast_grep_search", { pattern, language: "typescript" });
      expect(text, pattern).not.toContain("ended during the call");
    }
    expect(await its.call("ast_grep_search", { pattern: "foo($A)", language: "typescript" })).toMatchObject({ isError: false });
  });

  test("may not be endless", async () => {
    const { text, isError } = await search("f(".repeat(60_000));
    expect(isError).toBe(true);
    expect(text).toContain("the pattern has more than 100000 characters");
  });

  test("is not said to be missing when it was not given", async () => {
    const { text, isError } = await server.call("ast_grep_search", { pattern: "f()", lang: "typescript" });
    expect(isError).toBe(true);
    expect(text).toContain("Missing language: expected one of");
    expect((await server.call("ast_grep_search", { language: "typescript" })).text).toContain("Missing pattern");
  });

  test.each([{ context: -1 }, { context: 11 }, { maxResults: 0 }, { maxResults: 101 }, { language: "cobol" }, { path: "no\0where" }])("%j is refused", async (more) => {
    expect(await search("f($A)", more)).toMatchObject({ isError: true });
  });
});

test("a pattern that means something only inside other code is found there", async () => {
  await files({ "a.ts": 'class A {\n  async run(x: number) { go(); }\n}\nconst o = { "k": 1 };\n' });
  expect((await search("async $M($$$A) { $$$B }")).text).toContain("a.ts:2\n");
  expect((await search('"k": $V')).text).toContain("a.ts:4\n");
});

test("a definition without its body finds nothing, and the answer says so", async () => {
  await files({ "a.ts": "function f(a) { return a; }\n" });
  const { text, isError } = await search("function $NAME($$$ARGS)");
  expect(isError).toBe(false);
  expect(text).toMatch(/^No matches found for pattern: function \$NAME\(\$\$\$ARGS\)\n\nSearched 1 typescript file\(s\) in \.\n/);
  expect(text).toContain("function $NAME($$$ARGS) { $$$BODY }");
  expect((await search("function $NAME($$$ARGS) { $$$BODY }")).text).toContain("Found 1 match(es)");
});

test("advice is in the pattern's language, and what it advises finds something", async () => {
  await files({ "a.py": "def f(a: int) -> int:\n    return a\n\nclass A(B):\n    pass\n", "b.rb": "class Name\n  x\nend\n" });
  const python = await search("def $F($$$A): $$$B", { language: "python" });
  expect(python.text).toMatch(/\nTip: [^{}]+ With a return type: def \$F\(\$\$\$A\) -> \$R: \$\$\$B$/);
  expect((await search("def $F($$$A) -> $R: $$$B", { language: "python" })).text).toContain("Found 1 match(es)");
  expect(await search("class $X", { language: "python" })).toMatchObject({ isError: true, text: expect.stringMatching(/does not parse.*\n.* its body: class \$X: \$\$\$BODY\n?/) });
  expect((await search("class $X", { language: "ruby" })).text).toContain("write its name: class Name $$$BODY end");
  expect((await search("class Name $$$BODY end", { language: "ruby" })).text).toContain("Found 1 match(es)");
  expect((await search("a; b", { language: "python" })).text).toMatch(/has to be one; search for one of them$/m);
});

describe("which files", () => {
  test("ignored ones, links and folders of packages are left out, hidden ones are not", async () => {
    await files({
      ".gitignore": "*.gen.ts\n/out/\n",
      "sub/.gitignore": "!keep.gen.ts\nlocal.ts\n",
      ".git/info/exclude": "private.ts\n",
      "a.ts": "f(1);",
      "b.Gen.ts": "f(1);",
      "b.gen.ts": "f(1);",
      "out/c.ts": "f(1);",
      "sub/keep.gen.ts": "f(1);",
      "sub/local.ts": "f(1);",
      "local.ts": "f(1);",
      "private.ts": "f(1);",
      ".hidden/d.ts": "f(1);",
      ...Object.fromEntries(["node_modules", "dist", "build", "__pycache__", ".venv", "venv"].map((name) => [`x/${name}/e.ts`, "f(1);"])),
    });
    await symlink(join(project.root, "a.ts"), join(project.root, "link.ts"));
    await symlink(project.root, join(project.root, "loop"));
    const { text } = await search("f($A)", { context: 0 });
    expect(text.match(/^\/.*(?=:1$)/gm)).toEqual([".hidden/d.ts", "a.ts", "b.Gen.ts", "local.ts", "sub/keep.gen.ts"].map((name) => join(project.root, name)));
    expect(text).toMatch(/^Found 5 match\(es\) in 5 file\(s\)/);
  });

  test("what the caller names itself is searched, whatever it is called", async () => {
    await files({ ".gitignore": "out/\n", "out/a.ts": "f(1);", "dist/b.ts": "f(1);", "script.txt": "f(1);" });
    for (const path of ["out", "out/a.ts", "dist", "script.txt", join(project.root, "script.txt")]) {
      expect((await search("f($A)", { path })).text, path).toContain("Found 1 match(es) in 1 file(s)");
    }
  });

  test("one that is not there is an error, no file of the language is none", async () => {
    expect(await search("f($A)", { path: "nowhere" })).toEqual({ isError: true, text: "Error in AST search: there is no file or folder 'nowhere'" });
    expect(await search("f($A)")).toEqual({ isError: false, text: "No typescript files found in ." });
  });

  test("big ones and those that are no text are counted", async () => {
    await files({ "a.ts": "f(1);", "big.ts": `f(1);${" ".repeat(2 * 1024 * 1024)}`, "latin.ts": Buffer.from("f('\u00E9');", "latin1") });
    expect((await search("f($A)")).text).toContain("\nSkipped files: 1 over 2 MiB, 1 not UTF-8\n");
  });

  test("more than a thousand are searched", async () => {
    await files(Object.fromEntries(Array.from({ length: 1005 }, (_, index) => [`m/${String(index).padStart(4, "0")}.ts`, index === 1004 ? "f(1);" : "g(1);"])));
    expect((await search("f($A)")).text).toMatch(/^Found 1 match\(es\) in 1005 file\(s\)\n/);
  });
});

test("of very many files the first are searched, and the answer says so", async () => {
  await files(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`m${index % 10}/${index}.ts`, ""])));
  const { text, isError } = await search("f($A)");
  expect(isError).toBe(false);
  expect(text).toContain("Searched 10000 typescript file(s) in ");
  expect(text).toContain("Stopped after 10000 files");
});

describe("a large answer", () => {
  test("says that it stopped at maxResults", async () => {
    await files({ "a.ts": "f(1);\n".repeat(30) });
    expect((await search("f($A)")).text).toMatch(/^Found 20 match\(es\) in 1 file\(s\)\n.*\n.*\nStopped at maxResults \(20\)/);
    expect((await search("f($A)", { maxResults: 30 })).text).not.toContain("Stopped");
  });

  test("shows of a long line the part around the match", async () => {
    await files({ "a.ts": `${"g(0);".repeat(100_000)}f(1);${"g(0);".repeat(1_000)}` });
    const { text } = await search("f($A)", { context: 10 });
    expect(text.length).toBeLessThan(1_000);
    expect(text).toMatch(/>    1: ….*f\(1\);.*… \(505005 characters\)/);
  });

  test("is cut, and says how much is left", async () => {
    await files({ "a.ts": `f(\n${"  1 +\n".repeat(25)}  1);\n${`// ${"y".repeat(290)}\n`.repeat(20)}`.repeat(60) });
    const { text } = await search("f($A)", { context: 10, maxResults: 60 });
    expect(text.length).toBeLessThan(70_000);
    expect(text).toMatch(/\n\n\.\.\. and \d+ more match\(es\), not shown/);
  });

  test("shows the beginning of a long match", async () => {
    await files({ "a.ts": `f(\n${"  1 +\n".repeat(100)}  1);\nend();\n` });
    const { text } = await search("f($A)", { context: 1 });
    expect(text).toContain(">   30:   1 +\n>     : … 72 more lines of this match\n   103: end();");
  });
});

test("in strict mode paths outside the project are refused; without git it is the server's folder", async () => {
  await files({ "a.ts": "f(1);" });
  const strict = { OMC_SECURITY: "strict" };
  const confined = await startAstServer({ ...project, folder: join(project.folder, "confined") }, "0.33", strict);
  const args = { pattern: "f($A)", language: "typescript" };
  expect(await confined.call("ast_grep_search", args)).toMatchObject({ isError: false });
  expect(await confined.call("ast_grep_search", { ...args, path: project.home })).toMatchObject({ isError: true, text: expect.stringContaining("Path restricted:") });
  await writeFile(join(project.home, "b.ts"), "f(1);");
  const plain = await startAstServer({ ...project, root: project.home, folder: join(project.folder, "plain") }, "0.33", strict);
  expect(await plain.call("ast_grep_search", args)).toMatchObject({ isError: false });
  expect(await plain.call("ast_grep_search", { ...args, path: ".." })).toMatchObject({ isError: true, text: expect.stringContaining("Path restricted:") });
});
