import { expect, test } from "vitest";
import { languageIdOf } from "./languages.js";

test.each([
  ["a.ts", "typescript"],
  ["a.mts", "typescript"],
  ["a.tsx", "typescriptreact"],
  ["a.cjs", "javascript"],
  ["a.jsx", "javascriptreact"],
  ["a.pyw", "python"],
  ["a.pyi", "python"],
  ["a.htm", "html"],
  ["a.cxx", "cpp"],
  ["a.hxx", "cpp"],
  ["a.v", "verilog"],
  ["a.vh", "verilog"],
  ["a.sv", "systemverilog"],
  ["a.svh", "systemverilog"],
  ["a.svelte", "svelte"],
  ["a.mdx", "mdx"],
  ["a.sh", "shellscript"],
  ["a.tf", "terraform"],
  ["a.toml", "toml"],
  ["a.zig", "zig"],
  ["A.RS", "rust"],
  ["package.json", "json"],
  ["tsconfig.build.json", "jsonc"],
  [".devcontainer.json", "jsonc"],
  ["a.odd", "odd"],
])("%s is %s", (path, language) => {
  expect(languageIdOf(`/srv/x/${path}`)).toBe(language);
});

test.each([
  ["namespace a {\n}", "cpp"],
  ["#pragma once\n#include <vector>\n", "cpp"],
  ["struct s { int n; };\n", "c"],
  ["#include <stdio.h>\nint class_of(int);\n", "c"],
  ["", "c"],
])("a header with %j is %s", (text, language) => {
  expect(languageIdOf("/srv/x/a.h", text)).toBe(language);
});
