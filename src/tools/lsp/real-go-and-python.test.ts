import { describe, expect, it, vi } from "vitest";
import { writeFiles } from "../../test-support/fake-project.js";
import { makeProject, type Project } from "../../test-support/project.js";
import { REAL_PATIENCE_MS, REAL_TEST_MS, realPath } from "../../test-support/real-servers.js";
import { startServer, type TestServer } from "../../test-support/server.js";

vi.setConfig({ testTimeout: REAL_TEST_MS });

async function start(files: Record<string, string>): Promise<Project & { server: TestServer }> {
  const project = await makeProject();
  await writeFiles(project.root, files);
  const env = { PATH: realPath(), OMC_LSP_TIMEOUT_MS: "60000", OMC_PYTHON_LSP: "pyright", GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local" };
  return { ...project, server: await startServer({ ...project, env, patienceMs: REAL_PATIENCE_MS }) };
}

describe("Go (gopls)", () => {
  const files = {
    "go.mod": "module example.com/sums\n\ngo 1.21\n",
    "sums.go": "package sums\n\n// Add adds.\nfunc Add(a, b int) int {\n\treturn a + b\n}\n",
    "use.go": "package sums\n\nfunc three() int {\n\treturn Add(1, 2)\n}\n",
    "bad.go": 'package sums\n\nfunc bad() int {\n\treturn "text"\n}\n',
  };
  const use = { file: "use.go", line: 4, character: 8 };

  it("answers about symbols, renames, and lists fixes", async () => {
    const { server, root } = await start(files);
    expect((await server.call("lsp_hover", use)).text).toMatch(/func Add\(a int, b int\) int[^]*Add adds/);
    expect((await server.call("lsp_goto_definition", use)).text).toBe(`${root}/sums.go:4:6-4:9`);
    expect((await server.call("lsp_find_references", use)).text).toMatch(/^Found 2 reference\(s\):/);
    expect((await server.call("lsp_document_symbols", { file: "sums.go" })).text).toBe("Function: Add [4:1-6:2]");
    expect((await server.call("lsp_prepare_rename", use)).text).toMatch(/^Rename possible\. Range: line 4, col 9 to line 4, col 12; present name: Add/);
    const { text } = await server.call("lsp_rename", { ...use, newName: "Plus" });
    expect(text).toMatch(/^Rename to "Plus" would affect 2 file\(s\) with 3 edit\(s\):/);
    expect(text).toContain(`File: ${root}/use.go\n  4:9-4:12: "Plus"`);
    expect((await server.call("lsp_prepare_rename", { ...use, line: 4, character: 1 })).text).toMatch(/^Cannot rename symbol at this position/);
  });

  it("finds the problems of a file and of a directory, and follows the disk", async () => {
    const { server, root } = await start(files);
    expect((await server.call("lsp_diagnostics", { file: "bad.go" })).text).toMatch(/^Found 1 diagnostic\(s\):\n\nError[^\n]*cannot use "text"[^\n]*\n {2}at bad\.go:4:9-4:15$/);
    const { text } = await server.call("lsp_diagnostics_directory", { directory: "." });
    expect(text).toMatch(/Strategy: lsp\nSummary: LSP check failed: 1 errors, \d+ warnings \(3 files\)/);
    await writeFiles(root, { "bad.go": files["bad.go"].replace('"text"', "4") });
    expect((await server.call("lsp_diagnostics", { file: "bad.go", severity: "error" })).text).toBe("No error diagnostics in bad.go");
  });
});

describe("Python (pyright)", () => {
  const files = {
    "pyproject.toml": "[project]\nname = 'sums'\n",
    "sums.py": 'def add_up(a: int, b: int) -> int:\n    """Adds."""\n    return a + b\n',
    "use.py": "from sums import add_up\n\nthree: int = add_up(1, 2)\n",
    "bad.py": "from sums import add_up\n\nwrong: str = add_up(1, 2)\n",
  };
  const use = { file: "use.py", line: 3, character: 14 };

  it("answers about symbols and renames", async () => {
    const { server, root } = await start(files);
    expect((await server.call("lsp_hover", use)).text).toMatch(/add_up[^]*int[^]*Adds\./);
    expect((await server.call("lsp_goto_definition", use)).text).toBe(`${root}/sums.py:1:5-1:11`);
    expect((await server.call("lsp_find_references", use)).text).toContain(`${root}/bad.py:3:14-3:20`);
    const { text } = await server.call("lsp_rename", { ...use, newName: "plus" });
    expect(text).toMatch(/^Rename to "plus" would affect 3 file\(s\) with 5 edit\(s\):/);
    expect(text).toContain(`File: ${root}/use.py\n`);
  });

  it("finds the problems of a file and of a directory, and follows the disk", async () => {
    const { server, root } = await start(files);
    expect((await server.call("lsp_diagnostics", { file: "bad.py" })).text).toMatch(/^Found 1 diagnostic\(s\):\n\nError \(reportAssignmentType\)\[Pyright\]:[^]*\n {2}at bad\.py:3:14-3:26$/);
    const { text } = await server.call("lsp_diagnostics_directory", { directory: "." });
    expect(text).toMatch(/Summary: LSP check failed: 1 errors, 0 warnings \(3 files\)/);
    await writeFiles(root, { "bad.py": files["bad.py"].replace("str", "int") });
    expect((await server.call("lsp_diagnostics", { file: "bad.py" })).text).toBe("No diagnostics in bad.py");
  });

  it("knows packages that were installed into the virtual environment", async () => {
    const packages = ".venv/lib/python3.12/site-packages";
    const { server, root } = await start({
      "pyrightconfig.json": '{ "venvPath": ".", "venv": ".venv" }',
      ".venv/pyvenv.cfg": "home = /usr/bin\n",
      [`${packages}/first.py`]: "",
      "packaged.py": "from dep import number\n\ntext: str = number\n",
    });
    expect((await server.call("lsp_diagnostics", { file: "packaged.py" })).text).toContain('Import "dep" could not be resolved');
    await writeFiles(root, { [`${packages}/dep/__init__.py`]: "number: int = 1\n", [`${packages}/dep/py.typed`]: "" });
    expect((await server.call("lsp_diagnostics", { file: "packaged.py" })).text).toContain("(reportAssignmentType)");
  });
});
