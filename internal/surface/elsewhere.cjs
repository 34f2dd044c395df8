// Preloaded into a server that runs in another world: it answers with another clock and another machine, and writes
// down, one JSON line each, at what the server looks that may be otherwise where it is used. Only what code outside
// of Node itself asks for counts. The file is elsewhere.jsonl beside this one. As third.cjs it is a third world, which
// differs from both others, so that a server which knows one system by name shows that.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const os = require("node:os");
const net = require("node:net");
const dgram = require("node:dgram");
const dns = require("node:dns");
const Module = require("node:module");
const { fileURLToPath } = require("node:url");

const now = Date.now;
const env = process.env;
const sink = fs.openSync(path.join(__dirname, "elsewhere.jsonl"), "a");
const { readFileSync, writeSync } = fs;
const plugin = fs.realpathSync(env.CLAUDE_PLUGIN_ROOT) + path.sep;
const exists = fs.existsSync;
const realPlatform = process.platform;
const third = path.basename(__filename) === "third.cjs";
process.execArgv = [];

const known = new Set();
function tell(kind, what) {
  const key = `${kind} ${what}`;
  if (known.has(key)) return;
  known.add(key);
  writeSync(sink, `${JSON.stringify({ kind, what: String(what).slice(0, 500), at: now() })}\n`);
}

/** Whether Node's own code asked. */
function fromNode() {
  return asker()?.getFileName().startsWith("node:") ?? false;
}

/** The nearest place on the stack that is not in this file. */
function asker() {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = 12;
  Error.prepareStackTrace = (_, frames) => frames;
  const holder = {};
  Error.captureStackTrace(holder);
  const frames = holder.stack;
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  for (const frame of frames) {
    const file = frame.getFileName();
    if (file && file !== __filename) return frame;
  }
  return undefined;
}

// Variables: which are asked for before the server sets them itself. Who asks for the canary takes all of them. Who
// only lists their names may look for some with a prefix; the package debug does so for the sake of its output.
const canary = "OMCBUILD_ELSEWHERE";
env[canary] = "1";
const own = new Set();
function asked(name) {
  if (typeof name !== "string" || own.has(name) || name in Object.prototype || known.has(`variable ${name}`) || fromNode()) return;
  if (name === canary) tell("variables", "all");
  else tell("variable", name);
}
const debugs = /\/\^debug_\/i/;
function listed() {
  const at = asker();
  if (at === undefined) return tell("variables", "names");
  const lines = readLines(at.getFileName());
  const line = at.getLineNumber() - 1;
  const column = lines.length === 1 || lines[line]?.length > 500 ? at.getColumnNumber() : 0;
  const text = column > 0 ? lines[line].slice(column, column + 300) : lines.slice(line, line + 3).join("\n");
  if (!debugs.test(text)) tell("variables", "names");
}
function readLines(file) {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}
let pending = []; // names that were listed, each of which is looked at once for that
process.env = new Proxy(env, {
  get: (target, name) => (asked(name), target[name]),
  has: (target, name) => (asked(name), name in target),
  set: (target, name, value) => (own.add(name), (target[name] = value), true),
  deleteProperty: (target, name) => (own.add(name), delete target[name]),
  ownKeys: (target) => {
    if (!fromNode()) listed();
    pending = Reflect.ownKeys(target);
    return [...pending];
  },
  getOwnPropertyDescriptor: (target, name) => {
    if (name === pending[0]) pending.shift();
    else {
      pending = [];
      asked(name);
    }
    return Reflect.getOwnPropertyDescriptor(target, name);
  },
});

// The clock: two years and some hours on, or five.
const ahead = third ? 162_345_600_000 : 65_432_100_000;
Date.now = () => now() + ahead;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [Date.now()] : args, made),
  apply: () => new Date().toString(),
});

// The machine.
function pretend(object, name, value) {
  const real = object[name];
  Object.defineProperty(object, name, { configurable: true, enumerable: true, get: () => (fromNode() ? real : value), set: () => {} });
}
const platform = ["win32", "linux", "darwin"].filter((name) => name !== realPlatform)[third ? 1 : 0];
const arch = process.arch === "arm64" ? "x64" : "arm64";
const { versions, execPath } = process;
const node = third ? `${Number.parseInt(versions.node, 10) + 2}.98.7` : versions.node.replace(/\.\d+\.\d+$/, ".98.7");
pretend(process, "platform", platform);
pretend(process, "arch", arch);
pretend(process, "version", `v${node}`);
pretend(process, "versions", Object.freeze({ ...versions, node }));
try {
  const elsewhere = path.join(__dirname, path.basename(execPath)); // a link, because it may be started
  fs.symlinkSync(execPath, elsewhere);
  pretend(process, "execPath", elsewhere);
  process.argv[0] = elsewhere;
} catch {} // a system that lets not everybody make links
if (process.getuid) for (const name of ["getuid", "geteuid", "getgid", "getegid"]) process[name] = () => 54321;
for (const name of ["constrainedMemory", "availableMemory"]) if (process[name]) process[name] = () => 2_345_678_000;
os.platform = () => platform;
os.type = () => ({ win32: "Windows_NT", darwin: "Darwin", linux: "Linux" })[platform];
os.arch = () => arch;
os.machine = () => (arch === "arm64" ? "aarch64" : "x86_64");
os.hostname = () => "elsewhere";
os.release = () => "98.7.6";
os.version = () => "#98";
os.totalmem = () => 7_654_321_000;
os.freemem = () => 1_234_567_000;
os.uptime = () => 98_765;
os.networkInterfaces = () => ({});
const processors = third ? 61 : 53;
os.availableParallelism = () => processors;
os.cpus = () => Array.from({ length: processors }, () => ({ model: "elsewhere", speed: 1, times: { user: 1, nice: 1, sys: 1, idle: 1, irq: 1 } }));
const { userInfo } = os;
os.userInfo = (options) => ({ ...userInfo(options), username: "somebody", uid: 54321, gid: 54321 });

// A report of the process says what it runs on, with all variables.
if (process.report) {
  const { getReport } = process.report;
  process.report.getReport = (...args) => {
    const report = Reflect.apply(getReport, process.report, args);
    Object.assign(report.header, { nodejsVersion: `v${node}`, arch, platform, host: "elsewhere", glibcVersionRuntime: "0.98", cpus: os.cpus() });
    const { environmentVariables } = report;
    Object.defineProperty(report, "environmentVariables", { configurable: true, enumerable: true, get: () => (tell("variables", "all"), environmentVariables) });
    return report;
  };
}

// What one major version of Node has and another has not.
const younger = /^(node:)?(sqlite|sea|quic|ffi)$|^node:test\/reporters$/;
wrap(Module, ["isBuiltin"], ([name]) => younger.test(name) && !fromNode() && tell("version", name));
const { getBuiltinModule } = process;
if (getBuiltinModule) wrap(process, ["getBuiltinModule"], ([name]) => younger.test(name) && tell("version", name));
if (third) {
  for (const [name, stand] of Object.entries({ WebSocket: class WebSocket {}, navigator: { hardwareConcurrency: processors, language: "de", platform } })) {
    const value = name in globalThis ? undefined : stand;
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
  }
}

// Files: reading what is outside of the plugin, and looking for what is not in it.
function named(file) {
  if (typeof file === "number") return file === 0 ? "/dev/stdin" : "";
  try {
    if (file instanceof URL) return fileURLToPath(file);
    return file === undefined || file === null ? "" : path.resolve(String(file));
  } catch {
    return "";
  }
}
function looked(kind, file) {
  const name = named(file);
  if (name === "" || fromNode()) return;
  if (name === "/dev/stdin" || name === "/proc/self/fd/0") return tell("stdin", "");
  if (`${name}${path.sep}`.startsWith(plugin) && (exists(name) || `${name}${path.sep}` === plugin)) return;
  tell(kind, name);
}
function wrap(object, names, before) {
  for (const name of names) {
    const real = object[name];
    if (typeof real !== "function") continue;
    const wrapped = function (...args) {
      before(args, name);
      return new.target ? Reflect.construct(real, args, new.target) : Reflect.apply(real, this, args);
    };
    Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(real));
    object[name] = wrapped;
  }
}
const contents = ["readFileSync", "readFile", "readdirSync", "readdir", "opendirSync", "opendir", "readlinkSync", "readlink", "watch", "watchFile", "globSync", "glob", "copyFileSync", "copyFile", "cpSync", "cp", "openAsBlob"];
const folders = /^(readdir|opendir|glob)/; // of the plugin only the bundle is there
const existence = ["existsSync", "exists", "accessSync", "access", "statSync", "stat", "lstatSync", "lstat", "statfs", "statfsSync"];
const writes = /^[wa]/;
const opened = ([file, flags]) => {
  if (!(typeof flags === "string" && writes.test(flags))) looked("file", file);
};
for (const api of [fs, fs.promises]) {
  wrap(api, contents, ([file], name) => {
    if (folders.test(name) && !fromNode()) tell("file", named(file));
    else looked("file", file);
  });
  wrap(api, existence, ([file]) => looked("existence", file));
  wrap(api, ["open", "openSync"], opened);
}
wrap(fs, ["createReadStream", "ReadStream"], ([file, options]) => looked("file", options?.fd ?? file));
wrap(fs, ["readSync", "read"], ([fd]) => fd === 0 && looked("stdin", 0));
wrap(process, ["loadEnvFile"], ([file]) => looked("file", file ?? ".env"));
wrap(net, ["Socket", "Stream"], ([options]) => options?.fd === 0 && looked("stdin", 0));
wrap(require("node:tty"), ["ReadStream"], ([fd]) => fd === 0 && looked("stdin", 0));

// Programs, threads, compiled code, the network.
const programs = require("node:child_process");
wrap(programs, ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"], ([file]) => tell("program", path.basename(String(file).split(" ")[0])));
wrap(require("node:worker_threads"), ["Worker"], ([file]) => tell("thread", path.basename(String(file))));
wrap(process, ["dlopen"], ([, file]) => tell("native", path.basename(String(file))));
wrap(net.Socket.prototype, ["connect"], () => tell("network", ""));
wrap(dgram.Socket.prototype, ["connect", "send"], () => tell("network", ""));
for (const api of [dns, dns.promises]) wrap(api, ["lookup", "resolve", "resolve4", "resolve6", "resolveSrv", "resolveTxt"], () => tell("network", ""));
wrap(globalThis, ["fetch"], () => tell("network", ""));

// Modules that the bundle does not hold.
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  if (rest[0]?.id === "internal/preload") return Reflect.apply(resolve, this, [request, ...rest]);
  if (/^(node:)?sqlite$/.test(request)) tell("database", request);
  if (Module.isBuiltin(request)) return Reflect.apply(resolve, this, [request, ...rest]);
  try {
    const found = Reflect.apply(resolve, this, [request, ...rest]);
    if (!found.startsWith(plugin)) tell("module", request);
    return found;
  } catch (error) {
    tell("module", request);
    throw error;
  }
};
Module.syncBuiltinESMExports();
