/**
 * The language servers we know how to start. The first row that has the extension of a file is taken; `lsp_servers`
 * lists them in this order. Looking one up starts nothing.
 */

/** How a language server says, beside the progress of the protocol, that it has loaded the project. */
export type ReadySign = "serverStatus" | "languageStatus";

export interface ServerDefinition {
  /** Short name, unique in the registry. */
  key: string;
  /** Display name. */
  name: string;
  command: string;
  args: readonly string[];
  /** Lower case, with the dot. */
  extensions: readonly string[];
  /** What to get it with, shown after `Install with: ` when it is missing: a command, or where it is to be had. */
  install: string;
  /** Least time that `initialize` may take, in milliseconds, for servers that start slowly. */
  initializeMs?: number;
  /** Sent with `initialize`. */
  options?: Readonly<Record<string, unknown>>;
  /** Answers to `workspace/configuration`, by section. */
  settings?: Readonly<Record<string, unknown>>;
  readySign?: ReadySign;
  /** Added to the options in strict mode, to keep the server from running programs of the project. */
  strictOptions?: Readonly<Record<string, unknown>>;
  /** Language identifier of all its files, instead of the one by extension. */
  languageId?: string;
  /** The user's own: nothing else stands in for it, and no variant of it is looked for. */
  own?: boolean;
  /** Arguments with which the program tells its version, for commands that may be there and not work. */
  probe?: readonly string[];
}

/** Servers on the JVM read whole build systems before they answer. */
const JVM_INITIALIZE_MS = 300_000;

const VSCODE_EXTRACTED = "npm install -g vscode-langservers-extracted";

export const TYPESCRIPT: ServerDefinition = {
  key: "typescript",
  name: "TypeScript Language Server",
  command: "typescript-language-server",
  args: ["--stdio"],
  extensions: [".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs"],
  // TypeScript 7, which npm gives otherwise, has no tsserver for it.
  install: "npm install -g typescript-language-server typescript@5",
  // Its second, syntactic tsserver answers while the project loads, and knows no types: better to wait.
  options: { hostInfo: "omcbuild", tsserver: { useSyntaxServer: "never" } },
};

/** The servers for Python, the default first; each can stand in when those before it are not installed. */
export const PYTHON: readonly ServerDefinition[] = [
  {
    key: "python",
    name: "Python Language Server (ty)",
    command: "ty",
    args: ["server"],
    extensions: [".py", ".pyw", ".pyi"],
    install: "uv tool install ty (https://github.com/astral-sh/ty), or, for pyright in its place, npm install -g pyright",
  },
  {
    key: "python",
    name: "Python Language Server (basedpyright)",
    command: "basedpyright-langserver",
    args: ["--stdio"],
    extensions: [".py", ".pyw", ".pyi"],
    install: "uv tool install basedpyright",
  },
  {
    key: "python",
    name: "Python Language Server (pyright)",
    command: "pyright-langserver",
    args: ["--stdio"],
    extensions: [".py", ".pyw", ".pyi"],
    install: "npm install -g pyright",
  },
];

/** All rows but those that the environment or the project chooses: see `choose-server.ts`. */
export const SERVERS: readonly ServerDefinition[] = [
  TYPESCRIPT,
  PYTHON[0] as ServerDefinition,
  {
    key: "rust",
    name: "Rust Analyzer",
    command: "rust-analyzer",
    args: [],
    extensions: [".rs"],
    install: "rustup component add rust-analyzer",
    readySign: "serverStatus",
    probe: ["--version"],
    strictOptions: { cargo: { buildScripts: { enable: false } }, procMacro: { enable: false }, checkOnSave: false },
  },
  {
    key: "go",
    name: "gopls",
    command: "gopls",
    args: ["serve"],
    extensions: [".go"],
    install: "go install golang.org/x/tools/gopls@latest",
    options: { pullDiagnostics: true },
    settings: { gopls: { pullDiagnostics: true } },
  },
  {
    key: "c",
    name: "clangd",
    command: "clangd",
    args: [],
    extensions: [".c", ".h", ".cpp", ".cc", ".cxx", ".hpp", ".hxx", ".hh"],
    install: "the package clangd of your system, or LLVM (https://clangd.llvm.org/installation)",
  },
  {
    key: "java",
    name: "Eclipse JDT Language Server",
    command: "jdtls",
    args: [],
    extensions: [".java"],
    install: "the instructions at https://github.com/eclipse/eclipse.jdt.ls",
    initializeMs: JVM_INITIALIZE_MS,
    readySign: "languageStatus",
    strictOptions: { settings: { java: { import: { gradle: { enabled: false } } } } },
  },
  stdio("json", "JSON Language Server", "vscode-json-language-server", [".json", ".jsonc"], VSCODE_EXTRACTED),
  stdio("html", "HTML Language Server", "vscode-html-language-server", [".html", ".htm"], VSCODE_EXTRACTED),
  stdio("css", "CSS Language Server", "vscode-css-language-server", [".css", ".scss", ".less"], VSCODE_EXTRACTED),
  stdio("vue", "Vue Language Server (Volar)", "vue-language-server", [".vue"], "npm install -g @vue/language-server"),
  stdio("yaml", "YAML Language Server", "yaml-language-server", [".yaml", ".yml"], "npm install -g yaml-language-server"),
  stdio("php", "PHP Language Server (Intelephense)", "intelephense", [".php", ".phtml"], "npm install -g intelephense"),
  {
    key: "ruby",
    name: "Ruby Language Server (Solargraph)",
    command: "solargraph",
    args: ["stdio"],
    extensions: [".rb", ".rake", ".gemspec", ".erb"],
    install: "gem install solargraph",
  },
  {
    key: "lua",
    name: "Lua Language Server",
    command: "lua-language-server",
    args: [],
    extensions: [".lua"],
    install: "the instructions at https://github.com/LuaLS/lua-language-server",
  },
  {
    key: "kotlin",
    name: "Kotlin Language Server",
    command: "kotlin-lsp",
    args: ["--stdio"],
    extensions: [".kt", ".kts"],
    install: "the instructions at https://github.com/Kotlin/kotlin-lsp (brew install JetBrains/utils/kotlin-lsp)",
    initializeMs: JVM_INITIALIZE_MS,
  },
  {
    key: "elixir",
    name: "ElixirLS",
    command: "elixir-ls",
    args: [],
    extensions: [".ex", ".exs", ".heex", ".eex"],
    install: "the instructions at https://github.com/elixir-lsp/elixir-ls",
  },
  {
    key: "csharp",
    name: "OmniSharp",
    command: "omnisharp",
    args: ["-lsp"],
    extensions: [".cs"],
    install: "dotnet tool install -g omnisharp",
  },
  {
    key: "dart",
    name: "Dart Analysis Server",
    command: "dart",
    args: ["language-server", "--protocol=lsp"],
    extensions: [".dart"],
    install: "the Dart SDK (https://dart.dev/get-dart) or the Flutter SDK (https://flutter.dev)",
  },
  {
    key: "swift",
    name: "SourceKit-LSP",
    command: "sourcekit-lsp",
    args: [],
    extensions: [".swift"],
    install: "the Swift toolchain (https://swift.org/download) or Xcode",
  },
  {
    key: "verilog",
    name: "Verible Verilog Language Server",
    command: "verible-verilog-ls",
    args: ["--rules_config_search"],
    extensions: [".v", ".vh", ".sv", ".svh"],
    install: "a release at https://github.com/chipsalliance/verible/releases",
  },
  // Not known to the reference; added after its rows, so that the order of those stays.
  stdio("svelte", "Svelte Language Server", "svelteserver", [".svelte"], "npm install -g svelte-language-server"),
  stdio("mdx", "MDX Language Server", "mdx-language-server", [".mdx"], "npm install -g @mdx-js/language-server"),
  {
    key: "bash",
    name: "Bash Language Server",
    command: "bash-language-server",
    args: ["start"],
    extensions: [".sh", ".bash"],
    install: "npm install -g bash-language-server",
  },
  {
    key: "terraform",
    name: "Terraform Language Server",
    command: "terraform-ls",
    args: ["serve"],
    extensions: [".tf", ".tfvars"],
    install: "the instructions at https://github.com/hashicorp/terraform-ls",
  },
  {
    key: "toml",
    name: "Taplo",
    command: "taplo",
    args: ["lsp", "stdio"],
    extensions: [".toml"],
    install: "the instructions at https://taplo.tamasfe.dev/cli/installation/binary.html",
  },
  {
    key: "zig",
    name: "ZLS",
    command: "zls",
    args: [],
    extensions: [".zig", ".zon"],
    install: "the instructions at https://github.com/zigtools/zls",
  },
];

/** Most servers written for Node are started in the same way. */
function stdio(key: string, name: string, command: string, extensions: string[], install: string): ServerDefinition {
  return { key, name, command, args: ["--stdio"], extensions, install };
}
