/**
 * A language server for tests that does what its script says, misbehaviour included. It finds `BAD` in documents and
 * calls it an error. The script is JSON in FAKE_LSP; `fake-language-server.ts` says what it may hold and installs it.
 */
import { spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import process from "node:process";

const script = JSON.parse(process.env.FAKE_LSP ?? "{}");
const documents = new Map();
const waiting = new Map();
let lastId = 0;
let asked = 0;

record({ started: process.pid });
if (script.ignoreTerm) process.on("SIGTERM", () => {});
if (script.child !== undefined) startChild();
if (script.greeting !== undefined) process.stdout.write(script.greeting);
receive(process.stdin);

/** A grandchild that holds on to life. */
function startChild() {
  const forever = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ["-e", forever], { stdio: "inherit" });
  writeFileSync(script.child, String(child.pid));
}

function record(entry) {
  if (script.log !== undefined) appendFileSync(script.log, `${JSON.stringify(entry)}\n`);
}

function receive(stream) {
  let buffer = Buffer.alloc(0);
  stream.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const end = buffer.indexOf("\r\n\r\n");
      if (end === -1) return;
      const length = Number(/content-length: *(\d+)/i.exec(buffer.toString("latin1", 0, end))?.[1]);
      if (buffer.length < end + 4 + length) return;
      const body = buffer.toString("utf8", end + 4, end + 4 + length);
      buffer = buffer.subarray(end + 4 + length);
      handle(JSON.parse(body));
    }
  });
  stream.on("end", () => {
    if (!script.ignoreExit) process.exit(0);
  });
}

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  process.stdout.write(body);
}

function ask(method, params) {
  const id = `fake-${++lastId}`;
  send({ id, method, params });
  waiting.set(id, method);
}

function handle(message) {
  record(message);
  if (message.method === undefined) {
    record({ answerTo: waiting.get(message.id), result: message.result, error: message.error });
    return;
  }
  const { method, id, params } = message;
  if (script.crash?.includes(method)) crash();
  if (script.noise?.[method] !== undefined) makeNoise(script.noise[method]);
  if (id === undefined) notified(method, params);
  else if (!script.hang?.includes(method)) answerLater(id, method, params);
}

function crash() {
  process.stderr.write("fatal: the fake gave up\n    at somewhere (fake.js:1:1)\n");
  process.exit(3);
}

function makeNoise(kind) {
  const noises = {
    stderr: () => process.stderr.write(`${"complaint ".repeat(10)}\n`.repeat(20_000)),
    stdout: () => process.stdout.write("what is a protocol\n".repeat(200_000)),
    badHeader: () => process.stdout.write("Content-Size: 2\r\n\r\n"),
    badJson: () => process.stdout.write("Content-Length: 5\r\n\r\n{bad}"),
    hugeFrame: () => process.stdout.write("Content-Length: 99999999999\r\n\r\n{"),
    notifications: () => {
      for (let count = 0; count < 20_000; count++) send({ method: "window/logMessage", params: { type: 4, message: "hello" } });
    },
  };
  noises[kind]();
}

function answerLater(id, method, params) {
  const delay = script.delay?.[method];
  if (delay === undefined) answer(id, method, params);
  else setTimeout(() => answer(id, method, params), delay);
}

function answer(id, method, params) {
  const error = script.errors?.[method];
  if (error !== undefined && asked++ < (error.times ?? Infinity)) return send({ id, error: { code: error.code, message: error.message } });
  if (script.results !== undefined && method in script.results) return send({ id, result: script.results[method] });
  if (method === "initialize") return send({ id, result: { capabilities: capabilities() } });
  if (method === "shutdown") return send({ id, result: null });
  if (method === "textDocument/hover") return send({ id, result: { contents: hover(params.textDocument.uri) } });
  if (method === "textDocument/diagnostic" && script.pull) return send({ id, result: { kind: "full", items: problems(params.textDocument.uri) } });
  return send({ id, error: { code: -32601, message: `Unhandled method ${method}\n    at dispatch (fake.js:2:2)` } });
}

function capabilities() {
  return {
    textDocumentSync: { openClose: true, change: 1, save: true },
    hoverProvider: true,
    ...(script.pull || script.claimsPull ? { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false } } : {}),
    ...script.capabilities,
  };
}

/** What the server knows of the document, and whether its project is loaded. */
function hover(uri) {
  const { version, text } = documents.get(uri) ?? { version: 0, text: "" };
  return `version ${version}, ${text.length} characters, ${loaded ? "loaded" : "loading"}: ${text.slice(0, 40)}`;
}

let loaded = script.progress === undefined;

function notified(method, params) {
  if (method === "initialized") opened();
  if (method === "exit" && !script.ignoreExit) process.exit(0);
  if (method === "textDocument/didOpen") changed(params.textDocument, params.textDocument.text);
  if (method === "textDocument/didChange") changed(params.textDocument, params.contentChanges[0].text);
  if (method === "textDocument/didClose") documents.delete(params.textDocument.uri);
}

function opened() {
  for (const { method, params } of script.asks ?? []) ask(method, params);
  if (script.progress === undefined) return;
  const report = (value) => send({ method: "$/progress", params: { token: "load", value } });
  ask("window/workDoneProgress/create", { token: "load" });
  report({ kind: "begin", title: "Loading", percentage: 0 });
  setTimeout(() => {
    report({ kind: "report", message: "nearly", percentage: 50 });
    if (script.progress.endless) return;
    loaded = true;
    report({ kind: "end" });
  }, script.progress.ms);
}

function changed({ uri, version }, text) {
  documents.set(uri, { version, text });
  const publish = (extra, diagnostics = problems(uri)) => {
    send({ method: "textDocument/publishDiagnostics", params: { uri: spelled(uri), ...extra, diagnostics } });
  };
  if (script.publish === "never" || script.pull) return;
  if (script.publish === "late") setTimeout(() => publish({ version }), 700);
  else if (script.publish === "stale") {
    publish({ version: version - 1 }, [problem(0, 0, "from an earlier text")]);
    setTimeout(() => publish({ version }), 100);
  } else if (script.publish === "inParts") {
    publish({}, []);
    setTimeout(() => publish({}), 100);
  } else publish({ version });
}

/** The same URI as another program would write it. */
function spelled(uri) {
  if (script.spelling === "raw") return decodeURIComponent(uri);
  if (script.spelling !== "escaped") return uri;
  return uri.replace(/[()@]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
}

function problems(uri) {
  const lines = (documents.get(uri)?.text ?? "").split("\n");
  return lines.flatMap((line, index) => (line.includes("BAD") ? [problem(index, line.indexOf("BAD"), "a bad word")] : []));
}

function problem(line, character, message) {
  const range = { start: { line, character }, end: { line, character: character + 3 } };
  return { range, message, severity: 1, code: 1, source: "fake" };
}
