/**
 * Public servers from the npm registry that were not written for omcbuild, each as a plugin of its own. Versions stand in
 * packages/package.json, and of all they depend on in the lock file there. None of their tools is ever called.
 */
export interface PublicServer {
  /** Name on the registry. */
  name: string;
  /** The file in the package that its maker starts it from. */
  entry: string;
  /** The file that Node starts, where the entry is TypeScript. */
  started?: string;
  /** What the package holds, in a few words. */
  ships: "TypeScript" | "ES modules" | "CommonJS" | "one bundled ES module" | "one bundled CommonJS file";
  /** Why it is in the table. */
  because: string;
  env?: Record<string, string>;
  args?: readonly string[];
  external?: readonly string[];
  /** How many tools it lists, unbundled and bundled; absent where it cannot list any without the network. */
  tools?: number;
  /** Codes of all warnings of the build, in order of the alphabet, but for those that depend on the machine's speed. */
  reports?: readonly string[];
  /** Codes of errors about the server itself, which its users live with; they are refused first. */
  accept?: readonly string[];
  /** The build has to refuse it, with this one error. */
  refused?: { code: string; message: RegExp; why: string };
}

/** Where every server looks for its service: nobody listens there, so nothing leaves this machine. */
const NOWHERE = "http://127.0.0.1:9";

export const publicServers: readonly PublicServer[] = [
  {
    name: "@antv/mcp-server-chart",
    entry: "build/index.js",
    ships: "CommonJS",
    because: "a web server for its other transports: 3.8 MB",
    tools: 27,
    reports: ["duplicate-package", "input-dialect", "parameter-default", "server-version-unequal"],
  },
  {
    name: "@brave/brave-search-mcp-server",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "8 tools that take 108 kB",
    env: { BRAVE_API_KEY: "dummy" },
    tools: 8,
    reports: ["duplicate-package", "parameter-default"],
  },
  {
    name: "@cyanheads/git-mcp-server",
    entry: "dist/index.js",
    ships: "one bundled ES module",
    because: "one file of 6.7 MB that another bundler made; its logger's workers are programs of their own",
    tools: 28,
    reports: ["impossible-typeof", "parameter-default"],
  },
  {
    name: "@kazuph/mcp-fetch",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "imports compiled code at the top",
    refused: { code: "native-at-load", message: /^sharp is loaded at the start and cannot be bundled/, why: "needs `sharp`, which is compiled, before it can say anything" },
  },
  {
    name: "@makeplane/plane-mcp-server",
    entry: "build/index.js",
    ships: "ES modules",
    because: "two generations of zod in one program",
    env: { PLANE_API_KEY: "dummy", PLANE_API_HOST_URL: NOWHERE, PLANE_WORKSPACE_SLUG: "dummy" },
    tools: 47,
    reports: ["input-dialect"],
  },
  {
    name: "@masonator/coolify-mcp",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "the second generation of the SDK, prompts",
    env: { COOLIFY_ACCESS_TOKEN: "dummy", COOLIFY_BASE_URL: NOWHERE },
    tools: 45,
    reports: ["duplicate-package"],
  },
  {
    name: "@modelcontextprotocol/server-everything",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "loads its transport with `import()`, waits at its top level, reads a folder of documents",
    tools: 16,
    reports: ["duplicate-package", "input-dialect", "parameter-default", "server-version-unequal"],
    accept: ["exit-after-stdin", "output-dialect"],
  },
  {
    name: "@modelcontextprotocol/server-filesystem",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "takes its folders as arguments",
    args: ["${CLAUDE_PROJECT_DIR}"],
    tools: 14,
    reports: ["input-dialect", "parameter-default", "server-version-unequal"],
    accept: ["output-dialect"],
  },
  {
    name: "@modelcontextprotocol/server-memory",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "keeps a file beside itself",
    tools: 9,
    reports: ["asset-missing", "asset-unfollowed", "input-dialect", "server-version-unequal"],
    accept: ["output-dialect"],
  },
  {
    name: "@modelcontextprotocol/server-postgres",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "an early SDK; an optional addon",
    args: ["postgresql://127.0.0.1:9/dummy"],
    tools: 1,
    reports: ["server-version-unequal"],
  },
  {
    name: "@modelcontextprotocol/server-sequential-thinking",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "one tool with the longest description",
    tools: 1,
    reports: ["description-long", "input-dialect", "variable-import"],
    accept: ["output-dialect"],
  },
  {
    name: "@notionhq/notion-mcp-server",
    entry: "bin/cli.mjs",
    ships: "one bundled ES module",
    because: "minified; reads its description from another folder",
    env: { NOTION_TOKEN: "dummy" },
    tools: 24,
    reports: ["parameter-default", "server-version-unequal"],
  },
  {
    name: "@runpod/mcp-server",
    entry: "dist/stdio.mjs",
    ships: "ES modules",
    because: "generated tools, `.mjs`",
    env: { RUNPOD_API_KEY: "dummy" },
    tools: 68,
    reports: ["instructions-long", "parameter-default", "server-version-unequal"],
  },
  {
    name: "@supabase/mcp-server-supabase",
    entry: "dist/cli.js",
    ships: "ES modules",
    because: "asks its service before it lists its tools",
    env: { SUPABASE_ACCESS_TOKEN: "sbp_dummy" },
    refused: { code: "tools-list-error", message: /fetch failed/, why: "needs the network to list its tools" },
  },
  {
    name: "@twilio-alpha/mcp",
    entry: "build/index.js",
    ships: "CommonJS",
    because: "197 tools made of descriptions in a folder; a logger that loads a package by name, in a worker",
    args: ["AC00000000000000000000000000000000/SK00000000000000000000000000000000:dummy"],
    tools: 197,
    reports: ["server-version-unequal", "tool-name-near-limit"],
    accept: ["tool-name-length"],
  },
  {
    name: "@upstash/context7-mcp",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "three copies of zod; reads its package.json at run time",
    tools: 2,
    reports: ["duplicate-package"],
  },
  {
    name: "@vapi-ai/mcp-server",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "two generations of zod; reads its package.json at run time",
    env: { VAPI_TOKEN: "dummy" },
    tools: 13,
    reports: ["input-dialect", "parameter-default"],
  },
  {
    name: "argocd-mcp",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "takes its transport as an argument; its logger's workers are programs of their own",
    args: ["stdio"],
    env: { ARGOCD_BASE_URL: NOWHERE, ARGOCD_API_TOKEN: "dummy" },
    tools: 16,
    reports: ["input-dialect", "server-version-unequal"],
  },
  {
    name: "backlog-mcp-server",
    entry: "build/index.js",
    ships: "ES modules",
    because: "reads a folder of translations in a package; its logger's workers are programs of their own",
    env: { BACKLOG_DOMAIN: "dummy.invalid", BACKLOG_API_KEY: "dummy" },
    tools: 63,
    reports: ["duplicate-package", "parameter-default"],
  },
  {
    name: "chrome-devtools-mcp",
    entry: "build/src/bin/chrome-devtools-mcp.js",
    ships: "ES modules",
    because: "14 MB; `import()` in functions that run in a page of the browser",
    env: { CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: "1", CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: "1" },
    args: ["--headless"],
    external: ["@toon-format/toon", "@blackwell-systems/gcf", "/bundled/*", "../../../node_modules/puppeteer-core/*"],
    tools: 32,
    reports: ["asset-missing", "asset-unfollowed", "deno-global", "ignored-bare-import", "parameter-default", "variable-import"],
  },
  {
    name: "effect-mcp",
    entry: "main.cjs",
    ships: "one bundled CommonJS file",
    because: "bundled twice before, with stand-ins for `require`",
    external: ["sqlite"],
    tools: 2,
    reports: ["discover-ignored", "duplicate-case", "reply-stray", "server-version-unequal", "variable-import"],
    accept: ["unknown-method"],
  },
  {
    name: "exa-mcp-server",
    entry: "dist/stdio.cjs",
    ships: "one bundled CommonJS file",
    because: "bundled before",
    tools: 2,
    reports: ["equals-negative-zero", "input-dialect"],
  },
  {
    name: "hostinger-api-mcp",
    entry: "src/servers/all.ts",
    started: "src/servers/all.js",
    ships: "TypeScript",
    because: "401 tools in one line of 358 kB; a page read beside the module",
    env: { HOSTINGER_API_TOKEN: "dummy" },
    tools: 401,
    reports: ["instructions-long", "tool-name-near-limit"],
    accept: ["tool-name-length"],
  },
  {
    name: "mongodb-mcp-server",
    entry: "dist/esm/index.js",
    ships: "ES modules",
    because: "13 MB; compiled packages and packages nobody installed, all looked for late",
    env: { MDB_MCP_TELEMETRY: "disabled" },
    tools: 27,
    reports: ["duplicate-package", "parameter-default"],
  },
  {
    name: "next-devtools-mcp",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "starts another program of its own",
    env: { NEXT_TELEMETRY_DISABLED: "1" },
    tools: 4,
    reports: ["description-long"],
  },
  {
    name: "tavily-mcp",
    entry: "build/index.js",
    ships: "ES modules",
    because: "plain",
    env: { TAVILY_API_KEY: "dummy" },
    tools: 5,
    reports: ["parameter-default"],
  },
  {
    name: "time-mcp",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "writes a greeting to stdout",
    tools: 6,
    reports: ["duplicate-package", "input-dialect", "parameter-default"],
    accept: ["stdout-noise"],
  },
  {
    name: "todoist-mcp",
    entry: "dist/index.js",
    ships: "ES modules",
    because: "36 tools and a prompt",
    env: { API_KEY: "dummy" },
    tools: 36,
    reports: ["input-dialect", "parameter-default"],
  },
];
