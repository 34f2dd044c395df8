/** Language identifiers, as the protocol's document items carry them. */
import { basename, extname } from "node:path";

const LANGUAGES: Readonly<Record<string, string>> = {
  ...all("typescript", ".ts", ".mts", ".cts"),
  ...all("javascript", ".js", ".mjs", ".cjs"),
  ".tsx": "typescriptreact",
  ".jsx": "javascriptreact",
  ...all("python", ".py", ".pyw", ".pyi"),
  ".rs": "rust",
  ".go": "go",
  ...all("c", ".c", ".h"),
  ...all("cpp", ".cpp", ".cc", ".cxx", ".hpp", ".hxx", ".hh"),
  ".java": "java",
  ".json": "json",
  ".jsonc": "jsonc",
  ...all("html", ".html", ".htm"),
  ".css": "css",
  ".scss": "scss",
  ".less": "less",
  ".vue": "vue",
  ...all("yaml", ".yaml", ".yml"),
  ...all("php", ".php", ".phtml"),
  ...all("ruby", ".rb", ".rake", ".gemspec", ".erb"),
  ".lua": "lua",
  ...all("kotlin", ".kt", ".kts"),
  ...all("elixir", ".ex", ".exs", ".heex", ".eex"),
  ".cs": "csharp",
  ".dart": "dart",
  ".swift": "swift",
  ...all("verilog", ".v", ".vh"),
  ...all("systemverilog", ".sv", ".svh"),
  ".svelte": "svelte",
  ".mdx": "mdx",
  ...all("shellscript", ".sh", ".bash"),
  ".tf": "terraform",
  ".tfvars": "terraform-vars",
  ".toml": "toml",
  ...all("zig", ".zig", ".zon"),
};

/** Files called `.json` whose readers allow comments. */
const JSON_WITH_COMMENTS = /^(?:[jt]sconfig(?:\..+)?|\.?devcontainer|settings|launch|tasks|extensions)\.json$/;

/** What is C++ at the beginning of a line and never C. */
const CPP_LINE = /^\s*(?:namespace\b|template\s*<|class\s+\w|using\s+\w|public:|private:|protected:|#\s*include\s*<c?\w+>)/m;

/** Lower-case extension of a path, with the dot. */
export function extensionOf(path: string): string {
  return extname(path).toLowerCase();
}

/** The language of a file by its name and, for headers, its text. An unknown extension is its own language. */
export function languageIdOf(path: string, text = ""): string {
  const extension = extensionOf(path);
  if (extension === ".json" && JSON_WITH_COMMENTS.test(basename(path))) return "jsonc";
  if (extension === ".h" && CPP_LINE.test(text)) return "cpp";
  return LANGUAGES[extension] ?? extension.slice(1);
}

function all(language: string, ...extensions: string[]): Record<string, string> {
  return Object.fromEntries(extensions.map((extension) => [extension, language]));
}
