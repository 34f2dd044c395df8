"use strict";
// A server with two tools that speaks both protocol generations. The tests append
// lines that change it; they take effect before the first message is read.
const stateless = "2026-07-28";
const handshakes = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const info = { name: "fixture", version: "1.2.3" };
const instructions = "Two tools to test with.";
const identity = { "io.modelcontextprotocol/serverInfo": info };
const tools = [
  {
    name: "add",
    description: "Returns the sum of two numbers.",
    inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    annotations: { readOnlyHint: true },
  },
  { name: "note", description: "Returns the text it was given.", inputSchema: { type: "object", properties: { text: { type: "string" } } } },
];
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
const text = (value, isError = false) => ({ content: [{ type: "text", text: String(value) }], isError });
const refuse = (code, message) => Object.assign(new Error(message), { code });

const calls = {
  add: ({ a, b }) => text(a + b),
  note: (args) => text(args.text),
};
const handlers = {
  "server/discover": () => ({ supportedVersions: [stateless], capabilities: { tools: { listChanged: true } }, instructions }),
  "subscriptions/listen": (params, id) => {
    const _meta = { "io.modelcontextprotocol/subscriptionId": id };
    say({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { notifications: params.notifications, _meta } });
  },
  initialize: ({ protocolVersion: asked }) => ({
    protocolVersion: handshakes.includes(asked) ? asked : handshakes.at(-1),
    capabilities: { tools: {} },
    serverInfo: info,
    instructions,
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: args }) => {
    if (!Object.hasOwn(calls, name)) throw refuse(-32602, `no tool is called ${name}`);
    return calls[name](args);
  },
};

const answer = (request) => {
  const { id, method, params = {} } = request;
  const modern = params._meta?.["io.modelcontextprotocol/protocolVersion"] === stateless;
  if (!Object.hasOwn(handlers, method) || (modern && method === "ping")) throw refuse(-32601, `no method is called ${method}`);
  const result = handlers[method](params, id, modern);
  if (result === undefined) return;
  say({ jsonrpc: "2.0", id, result: modern ? { ...result, resultType: "complete", ttlMs: 0, cacheScope: "private", _meta: identity } : result });
};

let receive = (message) => {
  if (message.id === undefined || message.method === undefined) return;
  try {
    answer(message);
  } catch (error) {
    say({ jsonrpc: "2.0", id: message.id, error: { code: error.code ?? -32603, message: error.message } });
  }
};
let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) receive(JSON.parse(line));
});
// What a test appends stands below.
