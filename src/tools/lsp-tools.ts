/**
 * Questions to language servers: what a symbol is, where it is used, what is wrong with a file. All tools only read;
 * those that offer changes show the edits for the caller to make. Lines are counted from 1 everywhere; characters from 0
 * in arguments and from 1 in answers. How an answer looks is told in `lsp/*-text.ts`, what speaks with the servers is
 * `src/lsp`; both are loaded with the first call.
 */
import * as z from "zod";
import { defineTool, type ToolAnnotations } from "./types.js";

const file = z.string().describe("Path.");
const line = z.int().min(1).describe("1-based.");
const character = z.int().min(0).describe("0-based.");
const position = { file, line, character };
const range = {
  file,
  startLine: line,
  startCharacter: character,
  endLine: line,
  endCharacter: character,
  only: z.string().optional().describe("Kind, such as quickfix. Default: all."),
};

/** A language server is a program of the project or the machine, but it reads what this machine has. */
const annotations: ToolAnnotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const hoverTool = defineTool({
  name: "lsp_hover",
  description: "Returns type and documentation of the symbol at a position. Answers count columns from 1, arguments from 0.",
  schema: z.object(position),
  annotations,
  handler: async (args, context) => (await import("./lsp/requests.js")).hover(args, context),
});

const gotoDefinitionTool = defineTool({
  name: "lsp_goto_definition",
  description: "Returns where the symbol at a position is defined: PATH:LINE:COL-LINE:COL of its name, 1-based, one per line.",
  schema: z.object(position),
  annotations,
  handler: async (args, context) => (await import("./lsp/requests.js")).gotoDefinition(args, context),
});

const findReferencesTool = defineTool({
  name: "lsp_find_references",
  description: "Returns all uses in the workspace of the symbol at a position, as 1-based locations.",
  schema: z.object({ ...position, includeDeclaration: z.boolean().optional().describe("Default: true.") }),
  annotations,
  handler: async (args, context) => (await import("./lsp/requests.js")).findReferences(args, context),
});

const documentSymbolsTool = defineTool({
  name: "lsp_document_symbols",
  description: "Returns the outline of a file: its symbols as a tree, with 1-based ranges.",
  schema: z.object({ file }),
  annotations,
  handler: async (args, context) => (await import("./lsp/requests.js")).documentSymbols(args.file, context),
});

const workspaceSymbolsTool = defineTool({
  name: "lsp_workspace_symbols",
  description: "Returns symbols of a whole workspace whose names match a query, with 1-based locations.",
  schema: z.object({
    query: z.string().describe("Name or part of it."),
    file: z.string().describe("Any file of the workspace and language."),
  }),
  annotations,
  handler: async (args, context) => (await import("./lsp/requests.js")).workspaceSymbols(args, context),
});

const diagnosticsTool = defineTool({
  name: "lsp_diagnostics",
  description: "Returns errors, warnings and hints in a file as it is on disk, with 1-based ranges; an error result means it was not checked.",
  schema: z.object({
    file,
    severity: z.enum(["error", "warning", "info", "hint"]).optional().describe("Only these. Default: all."),
  }),
  annotations,
  handler: async (args, context) => (await import("./lsp/requests.js")).diagnostics(args, context),
});

const diagnosticsDirectoryTool = defineTool({
  name: "lsp_diagnostics_directory",
  description: "Checks a directory, writing nothing, and returns passed, failed or incomplete and the 1-based problems. Use for a whole project; minutes at most.",
  schema: z.object({
    directory: z.string().describe("Path."),
    strategy: z
      .enum(["tsc", "lsp", "auto"])
      .optional()
      .describe("tsc: TypeScript compiler; lsp: file by file, all languages. Default: auto, tsc if the directory has a tsconfig.json."),
  }),
  annotations,
  handler: async (args, context) => (await import("./lsp/directory/check.js")).checkDirectory(args, context),
});

const serversTool = defineTool({
  name: "lsp_servers",
  description: "Returns which language servers are installed, their file types, and how to install the others.",
  schema: z.object({}),
  annotations,
  handler: async () => (await import("./lsp/servers.js")).listServers(),
});

const prepareRenameTool = defineTool({
  name: "lsp_prepare_rename",
  description: "Returns whether the symbol at a position can be renamed, and the 1-based range of its name.",
  schema: z.object(position),
  annotations,
  handler: async (args, context) => (await import("./lsp/requests.js")).prepareRename(args, context),
});

const renameTool = defineTool({
  name: "lsp_rename",
  description: "Previews renaming a symbol in all files: returns the edits (1-based ranges, new text as JSON) and writes nothing.",
  schema: z.object({ ...position, newName: z.string().min(1).describe("New name.") }),
  annotations,
  handler: async (args, context) => (await import("./lsp/requests.js")).rename(args, context),
});

const codeActionsTool = defineTool({
  name: "lsp_code_actions",
  description: "Returns a numbered list of quick fixes and refactorings for a range; applies none.",
  schema: z.object(range),
  annotations,
  handler: async (args, context) => (await import("./lsp/code-actions.js")).codeActions(args, context),
});

const codeActionResolveTool = defineTool({
  name: "lsp_code_action_resolve",
  description: "Previews one code action: returns its edits (1-based ranges, new text as JSON) and writes nothing.",
  schema: z.object({ ...range, actionIndex: z.int().min(1).describe("Number in lsp_code_actions of the same range.") }),
  annotations,
  handler: async (args, context) => (await import("./lsp/code-actions.js")).resolveCodeAction(args, context),
});

export const lspTools = [
  hoverTool,
  gotoDefinitionTool,
  findReferencesTool,
  documentSymbolsTool,
  workspaceSymbolsTool,
  diagnosticsTool,
  diagnosticsDirectoryTool,
  serversTool,
  prepareRenameTool,
  renameTool,
  codeActionsTool,
  codeActionResolveTool,
];
