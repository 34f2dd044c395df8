import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import type { Case } from "../case.js";

const here = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Both find the structural search engine and the classic TypeScript language server. */
const env = {
  NODE_PATH: here("node_modules"),
  PATH: [here("test-support/programs/node_modules/.bin"), process.env["PATH"] ?? ""].join(delimiter),
};

const project = {
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "noEmit": true }, "include": ["src"] }\n',
  "package.json": '{ "name": "compat" }\n',
  "src/add.ts": "/** Adds. */\nexport function addUp(a: number, b: number): number {\n  return a + b;\n}\n",
  "src/use.ts": 'import { addUp } from "./add.js";\n\nexport const three = addUp(1, 2);\nexport const wrong: string = addUp(1, 1);\n',
};

const researchSessionID = "compat";

export const codeCases: readonly Case[] = [
  {
    name: "a language server",
    files: project,
    env,
    steps: [
      { tool: "lsp_servers", tokens: ["## Language Server Status", "### Installed:", "- TypeScript Language Server (typescript-language-server)", "  Extensions: .ts, .tsx", "### Not Installed:", "  Install: "] },
      { again: true, tool: "lsp_document_symbols", args: { file: "src/add.ts" }, tokens: ["Function: addUp [2:1-4:2]"] },
      { again: true, tool: "lsp_diagnostics", args: { file: "src/use.ts" }, tokens: ["Found 1 diagnostic(s):", "Error (2322)[typescript]: ", "  at src/use.ts:4:14-4:19"] },
      { tool: "lsp_diagnostics", args: { file: "src/add.ts", severity: "error" }, tokens: ["No error diagnostics in src/add.ts"] },
      { again: true, tool: "lsp_hover", args: { file: "src/use.ts", line: 3, character: 23 }, tokens: ["addUp", "Range: 3:22-3:27"] },
      { again: true, tool: "lsp_goto_definition", args: { file: "src/use.ts", line: 3, character: 23 }, tokens: ["<project>/src/add.ts:2:"] },
      { again: true, tool: "lsp_find_references", args: { file: "src/add.ts", line: 2, character: 17 }, tokens: [/Found \d+ reference\(s\):/, "<project>/src/use.ts:3:22-3:27"] },
      { again: true, tool: "lsp_workspace_symbols", args: { query: "addUp", file: "src/add.ts" }, tokens: ['symbol(s) matching "addUp":', "Function: addUp", "<project>/src/add.ts:2:"] },
      { again: true, tool: "lsp_prepare_rename", args: { file: "src/add.ts", line: 2, character: 17 }, tokens: [/^Rename possible\./] },
      { again: true, tool: "lsp_rename", args: { file: "src/add.ts", line: 2, character: 17, newName: "plus" }, tokens: ['Rename to "plus" would affect 2 file(s) with 4 edit(s):', "File: <project>/src/add.ts", '  2:17-2:22: "plus"', "File: <project>/src/use.ts"] },
      { again: true, tool: "lsp_code_actions", args: { file: "src/add.ts", startLine: 3, startCharacter: 2, endLine: 3, endCharacter: 15 }, tokens: [/^1\. .+ \[.+\]/m] },
      { tool: "lsp_code_action_resolve", args: { file: "src/add.ts", startLine: 3, startCharacter: 2, endLine: 3, endCharacter: 15, actionIndex: 1 }, tokens: ["Action: ", "Kind: "] },
      { tool: "lsp_code_action_resolve", args: { file: "src/add.ts", startLine: 3, startCharacter: 2, endLine: 3, endCharacter: 15, actionIndex: 99 }, tokens: ["Invalid action index"] },
      { tool: "lsp_diagnostics_directory", args: { directory: "." }, tokens: ["## Directory Diagnostics", "Strategy: tsc", "Summary: TypeScript check failed: 1 errors, 0 warnings", "### Diagnostics", "src/use.ts:", "  4:14 - error TS2322: "] },
      { tool: "lsp_hover", args: { file: "notes.unknown", line: 1, character: 0 }, fails: true, tokens: ["No language server available for file type: "] },
      { tool: "lsp_hover", args: { file: "main.swift", line: 1, character: 0 }, fails: true, tokens: [/Language server 'sourcekit-lsp' not found\.\nInstall with: |File not found: main\.swift/] },
    ],
  },
  {
    name: "structural search",
    files: { "a.ts": "const one = 1;\nfoo(one);\nfoo(two, three);\n", "b.ts": "bar();\n" },
    env,
    steps: [
      { tool: "ast_grep_search", args: { pattern: "foo($A)", language: "typescript", context: 1 }, tokens: ["Found 1 match(es) in 2 file(s)", "Pattern: foo($A)", /a\.ts:2\n {5}1: const one = 1;\n> {4}2: foo\(one\);/] },
      { tool: "ast_grep_search", args: { pattern: "nothing($A)", language: "typescript" }, tokens: ["No matches found for pattern: nothing($A)", "Searched 2 typescript file(s) in "] },
      { tool: "ast_grep_search", args: { pattern: "x", language: "html" }, tokens: ["No html files found in "] },
      { tool: "ast_grep_replace", args: { pattern: "foo($A)", replacement: "quux($A)", language: "typescript" }, tokens: ["DRY RUN (no changes applied)", "Found 1 replacement(s) in 2 file(s)", "Pattern: foo($A)", "Replacement: quux($A)", "  - foo(one)", "  + quux(one)", "dryRun"] },
      { tool: "ast_grep_replace", args: { pattern: "foo($A)", replacement: "quux($A)", language: "typescript", dryRun: false }, tokens: ["CHANGES APPLIED", "  + quux(one)"] },
      { tool: "ast_grep_search", args: { pattern: "quux($A)", language: "typescript" }, tokens: ["Found 1 match(es) in 2 file(s)"] },
    ],
  },
  {
    name: "Python",
    steps: [
      { tool: "python_repl", args: { action: "execute", researchSessionID, code: "x = 20\nprint('[STAT:mean] 1')\nprint(x + 1)", executionLabel: "first" }, tokens: ["=== Python REPL Execution ===", "Session: compat", "Label: first", "Execution #: 1", "--- Output ---", "21", "--- Markers ---", "[STAT:mean] 1", "--- Timing ---", "Duration: ", "--- Memory ---", "=== Execution Complete ==="] },
      { tool: "python_repl", args: { action: "execute", researchSessionID, code: "print(x * 2)\n1 / 0" }, tokens: ["40", "=== Execution Failed ===", "Error Type: ZeroDivisionError", "Message: division by zero", "Traceback:"] },
      { tool: "python_repl", args: { action: "get_state", researchSessionID }, tokens: ["=== Python REPL State ===", "--- Variables ---", "Count: 1", "x", "=== State Retrieved ==="] },
      { tool: "python_repl", args: { action: "reset", researchSessionID }, tokens: ["=== Python REPL Reset ===", "Status: reset", "--- Memory After Reset ---", "=== Namespace Cleared ==="] },
      { tool: "python_repl", args: { action: "execute", researchSessionID, code: "print(x)" }, tokens: ["=== Execution Failed ===", "Error Type: NameError"] },
    ],
  },
];
