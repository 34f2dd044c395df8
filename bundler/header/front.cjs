// What this file answers before its server is loaded. The answers below are the
// server's own, written down when the file was built; the server stands behind them
// as text and is compiled when it is needed: at the first message that has no answer
// here, or soon after the last one that has. It then gets the whole conversation from
// its beginning, and what was answered already is not written a second time.
(() => {
  "use strict";
  const { env, argv } = process;
  const keepsComments = __omcbuild_answers.toString().includes("/*");
  const lines = comment(__omcbuild_answers).split("\n");
  const settings = JSON.parse(lines[0]);

  // The text of the comment in a function. A comment ends with its first star and
  // slash, and a file of ASCII alone is read twice as fast, so both are written otherwise.
  // An engine that keeps no comments is not Node.js, and loads the server at once.
  function comment(holder) {
    let text = holder.toString();
    if (!keepsComments) {
      text = require("node:fs").readFileSync(__filename, "utf8");
      text = text.slice(text.indexOf(`\nfunction ${holder.name}() {/*\n`) + 1);
      text = text.slice(0, text.indexOf("\n*/}") + 1);
    }
    return text.slice(text.indexOf("\n") + 1, text.lastIndexOf("\n"));
  }
  function plain(text) {
    if (settings.unicode && text.includes(settings.unicode)) {
      text = text.replace(new RegExp(`\\${settings.unicode}([0-9a-f]{4})`, "g"), (_, code) => String.fromCharCode(parseInt(code, 16)));
    }
    return text.replaceAll(`*${settings.slash}`, "*/");
  }

  // Runs the server as this module. Lines before its text make its line numbers those
  // of this file.
  function load() {
    const text = plain(comment(__omcbuild_server));
    module.loaded = false;
    const run = env.OMCBUILD_FRONT || !settings.sum ? undefined : compiled(text);
    if (run) run.call(module.exports, module.exports, require, module, __filename, __dirname);
    else module._compile("\n".repeat(settings.line) + text, __filename);
    module.loaded = true;
  }

  // The server as a function, made of code that an earlier start has compiled and kept,
  // which takes half the time. It is kept where nobody but the user can write, with a
  // sum of its own, under that of the text's sum and of this file: its place, which stack
  // traces name, and when it was changed, because a hand may have changed the text alone.
  // To add up the text itself would take longer than to read the code. V8 refuses what
  // another V8 has made. Whatever is odd about it, the server is compiled as usual.
  function compiled(text) {
    try {
      const { Script } = require("node:vm");
      const fs = require("node:fs");
      const { join } = require("node:path");
      const sum = (data) => require("node:crypto").createHash("sha256").update(data).digest();
      const folder = keptCode(fs, join);
      if (!folder) return;
      const { size, mtimeNs, ctimeNs } = fs.statSync(__filename, { bigint: true });
      const key = [settings.sum, settings.line, size, mtimeNs, ctimeNs, __filename].join(" ");
      const file = join(folder, `${sum(key).toString("hex", 0, 16)}-${process.version}-${process.arch}`);
      const cachedData = codeIn(fs, file, sum);
      const whole = `(function (exports, require, module, __filename, __dirname) {\n${text}\n})`;
      const script = new Script(whole, { filename: __filename, lineOffset: settings.line - 1, cachedData });
      const run = script.runInThisContext();
      if (cachedData === undefined || script.cachedDataRejected) setTimeout(keep, 3000).unref();
      return run;

      // Once what a start needs is compiled. A file is complete or not there; those that
      // no start has used for the longest time go.
      function keep() {
        try {
          const data = script.createCachedData();
          const begun = `${file}.${process.pid}`;
          fs.writeFileSync(begun, Buffer.concat([sum(data), data]), { flag: "wx", mode: 0o600 });
          try {
            fs.renameSync(begun, file);
          } catch {
            fs.unlinkSync(begun);
          }
          const kept = fs.readdirSync(folder).filter((name) => /^[0-9a-f]{32}-v/.test(name));
          const used = new Map(kept.map((name) => [name, fs.lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0]));
          for (const name of kept.sort((a, b) => used.get(b) - used.get(a)).slice(12)) {
            try {
              fs.unlinkSync(join(folder, name));
            } catch {} // another start was faster, or it is no file
          }
        } catch {}
      }
    } catch {}
  }

  // What is looked at is what is read: another may have put a file in its place since.
  function codeIn(fs, file, sum) {
    let opened;
    try {
      const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
      opened = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      const found = fs.fstatSync(opened);
      const bytes = found.isFile() && isOurs(found) ? fs.readFileSync(opened) : Buffer.alloc(0);
      if (!sum(bytes.subarray(32)).equals(bytes.subarray(0, 32))) return;
      try {
        fs.lutimesSync(file, new Date(), new Date());
      } catch {} // a folder that nobody can write to
      return bytes.subarray(32);
    } catch {
    } finally {
      if (opened !== undefined) fs.closeSync(opened);
    }
  }
  function isOurs({ uid, mode }) {
    return !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0);
  }
  function keptCode(fs, join) {
    const home = process.platform === "darwin" ? env.HOME && join(env.HOME, "Library", "Caches") : env.XDG_CACHE_HOME || (env.HOME && join(env.HOME, ".cache"));
    const base = process.platform === "win32" ? env.LOCALAPPDATA : home;
    if (!base || !require("node:path").isAbsolute(base) || env.NODE_DISABLE_COMPILE_CACHE) return;
    const folder = join(base, "omcbuild-code");
    const state = (path) => fs.lstatSync(path, { throwIfNoEntry: false });
    if (!state(folder)) {
      // Nothing of root's is made in the folder of a user whose HOME is still set.
      const place = fs.statSync(fs.existsSync(base) ? base : join(base, ".."));
      if (process.getuid && place.uid !== process.getuid()) return;
      if (!fs.existsSync(base)) fs.mkdirSync(base, { mode: 0o700 });
      fs.mkdirSync(folder, { mode: 0o700 });
    }
    const found = state(folder);
    return found?.isDirectory() && isOurs(found) ? folder : undefined;
  }

  const proving = env.OMCBUILD_FRONT === "prove";
  if (!keepsComments || require.main !== module || argv.length > 2 || process.send || env.OMCBUILD_FRONT === "0" || settings.env.some((name) => name in env)) return load();
  let stdin;
  try {
    ({ stdin } = process);
  } catch {} // the server says what it thinks of that
  if (!stdin || stdin.isTTY || stdin.fd !== 0) return load(); // a person, or a thread

  // Each answer: for which request, and what was written. Messages follow, indented.
  const answers = [];
  for (const line of lines.slice(1)) {
    if (line[0] === "\t") answers[answers.length - 1].messages.push(line.slice(1));
    else answers.push({ ...JSON.parse(plain(line)), messages: [] });
  }

  // Whether a value is of a pattern: "?string" and the like stand for any value of the
  // kind, a key with "?" at its end may be missing, and "*" stands for all other keys.
  const kind = (value) => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value);
  function fits(pattern, value) {
    if (typeof pattern === "string" && pattern[0] === "?") return pattern === "?any" || pattern === `?${kind(value)}`;
    if (kind(pattern) !== kind(value)) return false;
    if (typeof pattern !== "object" || pattern === null) return pattern === value;
    for (const key of Object.keys(value)) {
      const name = (/[?*]$/.test(key) ? ["*"] : [key, `${key}?`, "*"]).find((each) => Object.hasOwn(pattern, each));
      if (name === undefined || !fits(pattern[name], value[key])) return false;
    }
    return Object.keys(pattern).every((key) => key === "*" || key.endsWith("?") || Object.hasOwn(value, key));
  }

  // The answer to a line, with the id in its place; nothing when the server has to
  // see the line first. Ids that some server might write in another way are left to it.
  let state = "start";
  function answerTo(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (kind(message) !== "object" || message.jsonrpc !== "2.0") return;
    const { jsonrpc, id, ...rest } = message;
    const asks = "id" in message;
    if (asks && !(Number.isSafeInteger(id) || (typeof id === "string" && /^[\w .:;,#@/+-]*$/.test(id)))) return;
    const found = answers.find((answer) => answer.asks === asks && (!answer.after || answer.after.includes(state)) && fits(answer.match, rest));
    if (!found) return;
    state = found.state ?? state;
    return { id, last: found.last, messages: found.messages.map((text) => plain(text.replaceAll(settings.id, JSON.stringify(id)))) };
  }

  // Writes at once and to the end. False when it cannot: that is for the server to meet.
  // A client that does not read may keep a long text waiting, and nobody could hear a
  // signal: until its last byte, a signal does what it does without listeners.
  function write(text) {
    const bytes = Buffer.from(text);
    const last = bytes.length - 1;
    return (bytes.length <= 4096 || undisturbed(() => send(bytes.subarray(0, last)))) && send(bytes.length <= 4096 ? bytes : bytes.subarray(last));
  }
  function send(bytes) {
    for (let at = 0; at < bytes.length; ) {
      try {
        at += require("node:fs").writeSync(1, bytes, at);
      } catch (error) {
        if (error.code !== "EAGAIN") return false;
        undisturbed(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)); // the reader is slow: one millisecond
      }
    }
    return true;
  }

  // What was read is put back each time, so that the server finds all of it.
  let seen = 0; // bytes that were looked at
  let done = 0; // bytes of lines that were answered
  const given = []; // what was written, until the server has said the same, and where its line ends
  const limit = Math.min(stdin.readableHighWaterMark, 16384);
  let waiting = setTimeout(handOver, 500);

  function look() {
    const ended = stdin._readableState?.ended;
    if (stdin.readableLength > seen) {
      const bytes = stdin.read();
      if (!bytes) return;
      stdin.unshift(bytes);
      seen = bytes.length;
      for (let end = bytes.indexOf(10, done); end >= 0; end = bytes.indexOf(10, done)) {
        const answer = answerTo(bytes.toString("utf8", done, end));
        const text = answer?.messages.map((message) => `${message}\n`).join("");
        if (!answer || (text && !write(text))) return handOver();
        done = end + 1;
        for (const message of answer.messages) given.push({ id: answer.id, text: message, end: done });
        clearTimeout(waiting);
        waiting = answer.last ? void setImmediate(handOver) : setTimeout(handOver, 500);
      }
    }
    if (ended || stdin.readableLength >= limit) handOver();
  }
  stdin.on("readable", look);

  // A signal before the server is there waits for it: what it means is the server's to say.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  const early = [];
  const wait = (signal) => {
    if (process.listenerCount(signal) > 1) return; // the server has heard it
    early.push(signal);
    handOver();
  };
  for (const signal of signals) process.on(signal, wait);
  function undisturbed(act) {
    const heard = signals.filter((signal) => process.listeners(signal).includes(wait));
    for (const signal of heard) process.removeListener(signal, wait);
    const result = act();
    for (const signal of heard) process.on(signal, wait);
    return result;
  }
  function loadAndTell() {
    load();
    setImmediate(() => {
      for (const signal of signals) process.removeListener(signal, wait);
      for (const signal of early) process.kill(process.pid, signal);
    });
  }

  // Leaves stdin as the server would have found it, but for what came in already.
  let handed = false;
  function handOver() {
    if (handed) return;
    handed = true;
    clearTimeout(waiting);
    stdin.removeListener("readable", look);
    stopReading();
    const { ended } = stdin._readableState ?? {};
    const retelling = given.length > 0;
    if (retelling || proving) __omcbuild_swallow(given, retell, write, proving);
    if (seen === 0 && ended) return endAtOnce(), loadAndTell();
    // The stream notices in the next tick that nobody listens, and a little later that its end has to wait.
    (retelling && ended ? setImmediate : process.nextTick)(() => {
      if (retelling) retell.begin();
      loadAndTell();
    });
  }

  function stopReading() {
    const handle = stdin._handle;
    if (!handle?.readStop) return;
    handle.reading = false;
    if (stdin._readableState) stdin._readableState.reading = false;
    handle.readStop();
  }

  // An end without a word before it is told as soon as nobody holds it back.
  function endAtOnce() {
    const { Socket } = require("node:net");
    const empty = stdin instanceof Socket ? new Socket({ writable: false }) : new stdin.constructor(null, { fd: 0, autoClose: false });
    empty.fd = 0;
    if (stdin instanceof Socket) empty.push(null);
    Object.defineProperty(process, "stdin", { configurable: true, enumerable: true, get: () => empty });
  }

  // Gives the server what was answered already as a client does that waits for each
  // answer: a request when the one before it was answered again, and at last the rest.
  const retell = {
    at: 0, // bytes that the server has got
    begin() {
      stopReading();
      const state = stdin._readableState;
      const { push } = stdin;
      let { ended } = state;
      let inFlight = state.reading; // a read of a file that cannot be called back
      let isLast = false;
      state.ended = false;
      stdin._read = () => {};
      let bytes = stdin.read() ?? Buffer.alloc(0);
      stdin.push = (chunk) => {
        inFlight = false;
        if (chunk === null) ended = true;
        else bytes = Buffer.concat([bytes, chunk]);
        if (isLast) giveRest();
        return false;
      };
      // A server that does not answer gets the rest after ten seconds, counted while
      // it listens. It is not kept alive before it does.
      const patience = setTimeout(() => (stdin.readableLength > 0 ? patience.refresh() : giveRest()), 10_000).unref();
      const stay = () => stdin.readableLength === 0 && patience.ref();
      process.on("beforeExit", stay);

      const give = () => {
        if (isLast) return;
        const upTo = given.find((answer) => answer.end > this.at)?.end;
        if (upTo === undefined) return giveRest();
        const part = bytes.subarray(this.at, upTo);
        this.at = upTo;
        patience.refresh();
        push.call(stdin, part);
      };
      const giveRest = () => {
        isLast = true;
        clearTimeout(patience);
        process.removeListener("beforeExit", stay);
        if (inFlight) return;
        delete stdin._read;
        delete stdin.push;
        const rest = bytes.subarray(this.at);
        this.at = Infinity;
        if (stdin.destroyed) return;
        if (ended) stdin._read = () => {};
        if (rest.length > 0) stdin.push(rest);
        else state.reading = false;
        // An end is read by itself, some time after what stands before it.
        if (ended) setImmediate(setImmediate, end);
        else if (!stdin.isPaused()) stdin.read(0);
      };
      const end = () => {
        delete stdin._read;
        stdin.push(null);
        if (!stdin.isPaused()) stdin.read(0);
      };
      // What the server does after its answer comes before what a client does after it.
      this.answered = () => given.some(({ end }) => end <= this.at) || isLast || setImmediate(setImmediate, give);
      give();
    },
  };
})();
