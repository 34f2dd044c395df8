import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXTENSIONS, type Language, LANGUAGES } from "../../ast/languages.js";
import { installAstGrep, RELEASES, startAstServer } from "../../test-support/ast-grep.js";
import { makeProject } from "../../test-support/project.js";

interface Sample {
  source: string;
  pattern: string;
  replacement: string;
  /** The line of the match, and the source afterwards. */
  line: number;
  after: string;
}

const SAMPLES: Record<Language, Sample> = {
  javascript: { source: "f(1);\nlog(1, 2);\n", pattern: "log($$$A)", replacement: "out.log($$$A)", line: 2, after: "f(1);\nout.log(1, 2);\n" },
  typescript: { source: "var a: number = 1;\n", pattern: "var $N: $T = $V", replacement: "const $N: $T = $V", line: 1, after: "const a: number = 1;\n" },
  tsx: { source: "const a = <b>{x}</b>;\n", pattern: "<b>{$X}</b>", replacement: "<i>{$X}</i>", line: 1, after: "const a = <i>{x}</i>;\n" },
  python: { source: "def f(a, b):\n    print(a, b)\n", pattern: "print($$$A)", replacement: "log($$$A)", line: 2, after: "def f(a, b):\n    log(a, b)\n" },
  ruby: { source: "x = 1\nputs x, 2\n", pattern: "puts $$$A", replacement: "warn $$$A", line: 2, after: "x = 1\nwarn x, 2\n" },
  go: { source: "package p\n\nfunc f() {\n\tfmt.Println(1, 2)\n}\n", pattern: "fmt.Println($$$A)", replacement: "log.Println($$$A)", line: 4, after: "package p\n\nfunc f() {\n\tlog.Println(1, 2)\n}\n" },
  rust: { source: "fn f() {\n    let a = b;\n}\n", pattern: "let $A = $B;", replacement: "let mut $A = $B;", line: 2, after: "fn f() {\n    let mut a = b;\n}\n" },
  java: { source: "class A {\n  public void f(int a) { g(); }\n}\n", pattern: "public void $N($$$A) { $$$B }", replacement: "void $N($$$A) { $$$B }", line: 2, after: "class A {\n  void f(int a) { g(); }\n}\n" },
  kotlin: { source: "fun f() {\n    println(1)\n}\n", pattern: "println($A)", replacement: "print($A)", line: 2, after: "fun f() {\n    print(1)\n}\n" },
  swift: { source: "func f() {\n  let a = 1\n}\n", pattern: "let $A = $B", replacement: "var $A = $B", line: 2, after: "func f() {\n  var a = 1\n}\n" },
  c: { source: 'void f() {\n  printf("x", 1);\n}\n', pattern: "printf($$$A)", replacement: "puts($$$A)", line: 2, after: 'void f() {\n  puts("x", 1);\n}\n' },
  cpp: { source: "void f() {\n  std::cout << 1;\n}\n", pattern: "std::cout << $A", replacement: "std::cerr << $A", line: 2, after: "void f() {\n  std::cerr << 1;\n}\n" },
  csharp: { source: "class A {\n  void F() { Console.WriteLine(1); }\n}\n", pattern: "Console.WriteLine($A)", replacement: "Log($A)", line: 2, after: "class A {\n  void F() { Log(1); }\n}\n" },
  html: { source: "<p>\n<b>x <i>y</i></b>\n</p>\n", pattern: "<b>$$$X</b>", replacement: "<em>$$$X</em>", line: 2, after: "<p>\n<em>x <i>y</i></em>\n</p>\n" },
  css: { source: ".a {\n  color: red;\n}\n", pattern: "color: $C", replacement: "background: $C", line: 2, after: ".a {\n  background: red;\n}\n" },
  json: { source: '{\n  "a": "x"\n}\n', pattern: '"a": "$V"', replacement: '"b": "$V"', line: 2, after: '{\n  "b": "x"\n}\n' },
  yaml: { source: "x: 1\nimage: old\n", pattern: "image: $V", replacement: "picture: $V", line: 2, after: "x: 1\npicture: old\n" },
};

/** What a release can do as it is installed for the tests. */
function languagesOf(release: (typeof RELEASES)[number]): readonly Language[] {
  return release === "0.33" ? LANGUAGES : ["javascript", "typescript", "tsx", "python", "go", "c", "html", "css", "json"];
}

describe.each(RELEASES)("with release %s", (release) => {
  test("every language is searched and rewritten", async () => {
    const project = await makeProject();
    const server = await startAstServer(project, release);
    for (const language of languagesOf(release)) {
      const { source, pattern, replacement, line, after } = SAMPLES[language];
      const file = join(project.root, `sample${EXTENSIONS[language].at(-1)}`);
      await writeFile(file, source);
      const found = await server.call("ast_grep_search", { pattern, language });
      expect(found.text, language).toContain("Found 1 match(es) in 1 file(s)\n");
      expect(found.text, language).toContain(`\n${file}:${line}\n`);
      const applied = await server.call("ast_grep_replace", { pattern, replacement, language, dryRun: false });
      expect(applied, language).toMatchObject({ isError: false, text: expect.stringMatching(/^CHANGES APPLIED\n/) });
      expect(await readFile(file, "utf8"), language).toBe(after);
    }
  });

  test("each extension is known", async () => {
    const project = await makeProject();
    const server = await startAstServer(project, release);
    for (const language of languagesOf(release)) {
      for (const extension of EXTENSIONS[language]) await writeFile(join(project.root, `x${extension}`), SAMPLES[language].source);
      const { text } = await server.call("ast_grep_search", { pattern: SAMPLES[language].pattern, language });
      const count = EXTENSIONS[language].length;
      expect(text, language).toContain(`Found ${count} match(es) in ${count} file(s)`);
    }
  });
});

test("a language that the release does not have is an error that names both ways out", async () => {
  const project = await makeProject();
  const server = await startAstServer(project, "0.51");
  await writeFile(join(project.root, "a.rb"), "puts 1\n");
  const { text, isError } = await server.call("ast_grep_search", { pattern: "puts $A", language: "ruby" });
  expect(isError).toBe(true);
  expect(text).toMatch(/^Unsupported language: ruby\n/);
  expect(text).toContain("@ast-grep/napi 0.51.2 has no ruby");
  expect(text).toContain("npm install -g @ast-grep/napi@0.33.0");
  expect(text).toContain("npm install -g @ast-grep/lang-ruby");
});

test("a release that is installed meanwhile is used without a restart", async () => {
  const project = await makeProject();
  const folder = join(project.folder, "later");
  const server = await startAstServer(project, "0.51", { NODE_PATH: folder });
  await writeFile(join(project.root, "a.ts"), "f(1);\n");
  const search = () => server.call("ast_grep_search", { pattern: "f($A)", language: "typescript" });
  expect(await search()).toMatchObject({ isError: true, text: expect.stringMatching(/^@ast-grep\/napi is not available\./) });
  await installAstGrep(folder, "0.33");
  expect(await search()).toMatchObject({ isError: false, text: expect.stringContaining("Found 1 match(es) in 1 file(s)") });
});
