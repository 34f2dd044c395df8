import { chmod, link, lstat, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { startAstServer } from "../../test-support/ast-grep.js";
import { makeProject, type Project } from "../../test-support/project.js";
import type { TestServer, ToolAnswer } from "../../test-support/server.js";

let project: Project;
let server: TestServer;
let file: string;

beforeEach(async () => {
  project = await makeProject();
  server = await startAstServer(project);
  file = join(project.root, "a.ts");
});

function replace(pattern: string, replacement: string, more: Record<string, unknown> = {}): Promise<ToolAnswer> {
  return server.call("ast_grep_replace", { pattern, replacement, language: "typescript", dryRun: false, ...more });
}

/** Writes the source, replaces, and returns what is in the file then. */
async function rewritten(source: string, pattern: string, replacement: string, more?: Record<string, unknown>): Promise<string> {
  await writeFile(file, source);
  await replace(pattern, replacement, more);
  return readFile(file, "utf8");
}

describe("the new text", () => {
  const cases: [name: string, source: string, pattern: string, replacement: string, expected: string][] = [
    ["keeps several captured nodes with what is between them", "console.log(a, /* b */ b,\n  c);\n", "console.log($$$ARGS)", "logger.info($$$ARGS)", "logger.info(a, /* b */ b,\n  c);\n"],
    ["is not confused by names that begin alike", "eq(one, two);\n", "eq($A, $AB)", "ne($A, $AB)", "ne(one, two);\n"],
    ["never expands what was captured", "f($B, y);\n", "f($A,$B)", "g($A,$B)", "g($B,y);\n"],
    ["takes dollars of captured text as they are", 'f("$& $1 $$ $A");\n', "f($A)", "g($A)", 'g("$& $1 $$ $A");\n'],
    ["may use a capture twice", "f(a);\n", "f($A)", "g($A, $A)", "g(a, a);\n"],
    ["drops the comma before nothing", "f(a,);\n", "f($A, $$$R)", "g($A, $$$R)", "g(a);\n"],
    ["drops the comma behind nothing", "f();\n", "f($$$R)", "g($$$R, x)", "g(x);\n"],
    ["keeps the semicolon that the pattern does not name", "var x = 1;\nvar y = 2;\n", "var $N = $V", "const $N = $V", "const x = 1;\nconst y = 2;\n"],
    ["brings no second semicolon", "var x = 1;\n", "var $N = $V", "const $N = $V;", "const x = 1;\n"],
    ["leaves the semicolon of what was captured inside", "if (a) b();\n", "if ($A) $B", "if ($A) { $B }", "if (a) { b(); }\n"],
    ["may be nothing, and then the semicolon goes, too", "var a = 1;\nf();\n", "var $N = $V", "", "\nf();\n"],
    ["ends lines as the file does", "if (a) {\r\n  b();\r\n}\r\n", "b()", "c(\n  1,\n)", "if (a) {\r\n  c(\r\n    1,\r\n  );\r\n}\r\n"],
    ["keeps a byte order mark, and letters of two units", "\uFEFF/* 😀é */ f(1); f(2);\n", "f($A)", "g($A)", "\uFEFF/* 😀é */ g(1); g(2);\n"],
    ["does not take a name in small letters for a variable", "f(a);\n", "f($A)", "$scope.g(`${$A}`, $Http)", "$scope.g(`${a}`, $Http);\n"],
  ];

  test("is right in each of the cases", async () => {
    for (const [name, source, pattern, replacement, expected] of cases) {
      expect(await rewritten(source, pattern, replacement), name).toBe(expected);
    }
  });

  test("of nested matches the outer one is changed, and the rest is told", async () => {
    await writeFile(file, "x = bar(bar(1));\n");
    const first = await replace("bar($X)", "quux_longer($X, 1)");
    expect(await readFile(file, "utf8")).toBe("x = quux_longer(bar(1), 1);\n");
    expect(first.text).toContain("Left alone: 1 match(es) inside other matches");
    expect(first.text).toContain("Found 1 replacement(s) in 1 file(s)");
    await replace("bar($X)", "quux_longer($X, 1)");
    expect(await readFile(file, "utf8")).toBe("x = quux_longer(quux_longer(1, 1), 1);\n");
  });

  test("a comma that makes a tuple stays", async () => {
    const path = join(project.root, "a.py");
    await writeFile(path, "f(a,)\n");
    await replace("f($A, $$$R)", "x = ($A, $$$R)", { language: "python" });
    expect(await readFile(path, "utf8")).toBe("x = (a, )\n");
  });

  test("a variable that the pattern does not capture is an error, and nothing is written", async () => {
    await writeFile(file, "f(a);\n");
    const { text, isError } = await replace("f($A)", "g($A, $UNBOUND, $$$REST)");
    expect(isError).toBe(true);
    expect(text).toContain("uses $UNBOUND, $$$REST, and the pattern captures $A");
    expect(await readFile(file, "utf8")).toBe("f(a);\n");
  });
});

describe("only a real false writes", () => {
  test.each([[undefined], [null], [true]])("%s", async (dryRun) => {
    await writeFile(file, "f(1);\n");
    const { text, isError } = await server.call("ast_grep_replace", {
      pattern: "f($A)",
      replacement: "g($A)",
      language: "typescript",
      ...(dryRun !== undefined && { dryRun }),
    });
    expect(isError).toBe(false);
    expect(text).toBe(
      [
        "DRY RUN (no changes applied)",
        "",
        "Found 1 replacement(s) in 1 file(s)",
        "Pattern: f($A)",
        "Replacement: g($A)",
        "Files with matches: 1",
        "",
        `${file}:1`,
        "  - f(1)",
        "  + g(1)",
        "",
        "To apply the changes, call again with dryRun: false",
      ].join("\n"),
    );
    expect(await readFile(file, "utf8")).toBe("f(1);\n");
  });

  test.each([["false"], [0], [""]])("%j is refused", async (dryRun) => {
    await writeFile(file, "f(1);\n");
    expect(await replace("f($A)", "g($A)", { dryRun })).toMatchObject({ isError: true });
    expect(await readFile(file, "utf8")).toBe("f(1);\n");
  });
});

describe("files", () => {
  test("that are not UTF-8 are left out and counted", async () => {
    const latin = Buffer.from("/* caf\u00E9 */ f(1);\n", "latin1");
    await writeFile(file, latin);
    await writeFile(join(project.root, "b.ts"), "f(1);\n");
    const { text, isError } = await replace("f($A)", "g($A)");
    expect(isError).toBe(false);
    expect(text).toContain("Skipped files: 1 not UTF-8");
    expect(await readFile(file)).toEqual(latin);
    expect(await readFile(join(project.root, "b.ts"), "utf8")).toBe("g(1);\n");
  });

  test("keep their permissions", async () => {
    await writeFile(file, "f(1);\n");
    await chmod(file, 0o755);
    await replace("f($A)", "g($A)");
    expect((await stat(file)).mode & 0o777).toBe(0o755);
  });

  test("behind links are not reached from a folder, and a link given itself stays a link", async () => {
    const outside = join(project.folder, "outside.ts");
    await writeFile(outside, "f(1);\n");
    await symlink(outside, file);
    expect((await replace("f($A)", "g($A)")).text).toContain("No typescript files found in .");
    await replace("f($A)", "g($A)", { path: "a.ts" });
    expect(await readFile(outside, "utf8")).toBe("g(1);\n");
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
  });

  test("more than fifty changes are counted, and all are made", async () => {
    await writeFile(file, "f(1);\n".repeat(60));
    const { text } = await replace("f($A)", "g($A)");
    expect(text.match(/^ {2}- f\(1\)$/gm)).toHaveLength(50);
    expect(text).toMatch(/\n\.\.\. and 10 more changes$/);
    expect(text.indexOf("a.ts:1\n")).toBeLessThan(text.indexOf("a.ts:50\n"));
    expect(await readFile(file, "utf8")).toBe("g(1);\n".repeat(60));
  });

  test("that cannot be written are named, and the answer is an error", async () => {
    // No temporary file can be made beside it, since its name has all letters that a name can have.
    const long = join(project.root, `${"n".repeat(252)}.ts`);
    await writeFile(long, "f(1);\n");
    const all = await replace("f($A)", "g($A)");
    expect(all.isError).toBe(true);
    expect(all.text).toMatch(/^NO CHANGES APPLIED\n/);
    await writeFile(file, "f(1);\n");
    const some = await replace("f($A)", "g($A)");
    expect(some.isError).toBe(true);
    expect(some.text).toMatch(/^CHANGES APPLIED IN PART\n/);
    expect(some.text).toContain("Found 1 replacement(s) in 2 file(s)");
    expect(some.text).toContain("Files written: 1\nFiles NOT written: 1\n");
    expect(some.text).toContain("nnn.ts: ENAMETOOLONG");
    expect(await readFile(file, "utf8")).toBe("g(1);\n");
    expect(await readFile(long, "utf8")).toBe("f(1);\n");
  });

  test("outside the project are not touched when tools are confined to it", async () => {
    const confined = await startAstServer({ ...project, folder: join(project.folder, "confined") }, "0.33", { OMC_SECURITY: "strict" });
    const outside = join(project.folder, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "o.ts"), "f(1);\n");
    await symlink(join(outside, "o.ts"), join(project.root, "link.ts"));
    await symlink(outside, join(project.root, "folder"));
    for (const path of ["link.ts", "folder", "folder/o.ts", "..", join(outside, "o.ts")]) {
      const { text, isError } = await confined.call("ast_grep_replace", { pattern: "f($A)", replacement: "g($A)", language: "typescript", path, dryRun: false });
      expect(isError, path).toBe(true);
      expect(text, path).toContain("Path restricted:");
    }
    expect(await readFile(join(outside, "o.ts"), "utf8")).toBe("f(1);\n");
  });

  test("with a second name lose it: the other name keeps the old text", async () => {
    await writeFile(file, "f(1);\n");
    await link(file, join(project.folder, "second.ts"));
    await replace("f($A)", "g($A)");
    expect(await readFile(file, "utf8")).toBe("g(1);\n");
    expect(await readFile(join(project.folder, "second.ts"), "utf8")).toBe("f(1);\n");
  });
});

test("a dry run of more changes than are made in one call does not say that they can be", async () => {
  await writeFile(file, "f(1);\n".repeat(20_001));
  const { text } = await replace("f($A)", "g($A)", { dryRun: true });
  expect(text).toContain("Stopped: there are more changes than one call makes.");
  expect(text).not.toContain("call again with dryRun: false");
});

test("nothing found is no error", async () => {
  await writeFile(file, "f(1);\n");
  const { text, isError } = await replace("never($A)", "g($A)");
  expect(isError).toBe(false);
  expect(text).toBe("No matches found for pattern: never($A)\n\nSearched 1 typescript file(s) in .");
});
