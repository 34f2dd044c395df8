// Keeps back what the server says again, until all of it was said. To prove a front
// is to tell of each difference, and of the end of them.
function __omcbuild_swallow(given, retell, write, proving) {
  "use strict";
  const { stdout } = process;
  const { _write: one, _writev: many } = stdout;
  const count = given.length;
  let held = [];
  let different = 0;
  const differ = (what, answer) => {
    different++;
    console.error(`front: ${what}: ${answer.text.slice(0, 300)}`);
  };
  const isSaid = (line) => {
    let at = given.findIndex(({ text, end }) => text === line && end <= retell.at);
    if (at < 0) {
      try {
        const { id, method } = JSON.parse(line);
        if (id === undefined || method !== undefined) return false;
        at = given.findIndex((answer) => answer.id === id && answer.end <= retell.at);
      } catch {}
      if (at < 0) return false;
      if (proving) differ(`the server answers ${line.slice(0, 300)} where the front answered`, given[at]);
    }
    given.splice(at, 1);
    retell.answered();
    return true;
  };
  const finish = () => {
    delete stdout._write;
    delete stdout._writev;
    if (proving) console.error(different > 0 ? `front: ${different} of ${count} messages differ` : `front: ${count} messages are the same`);
    else process.removeListener("exit", atExit);
  };
  const filter = (bytes) => {
    const out = [];
    let at = 0;
    for (let end = bytes.indexOf(10); end >= 0 && given.length > 0; end = bytes.indexOf(10, at)) {
      const line = Buffer.concat([...held, bytes.subarray(at, end)]);
      held = [];
      if (!isSaid(line.toString())) out.push(line, bytes.subarray(end, end + 1));
      at = end + 1;
    }
    if (given.length > 0) held.push(Buffer.from(bytes.subarray(at)));
    else {
      finish();
      out.push(bytes.subarray(at));
    }
    return Buffer.concat(out);
  };
  const atExit = () => {
    for (const answer of proving ? given : []) differ("the server did not say again", answer);
    if (given.length > 0) finish();
    if (held.length > 0) write(Buffer.concat(held).toString());
    if (different > 0) process.exitCode = 1;
  };
  const toBytes = (chunk, encoding) => (typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk);
  const pass = (bytes, callback) => (bytes.length > 0 ? one.call(stdout, bytes, "buffer", callback) : callback());
  stdout._write = (chunk, encoding, callback) => pass(filter(toBytes(chunk, encoding)), callback);
  if (many) stdout._writev = (chunks, callback) => pass(filter(Buffer.concat(chunks.map(({ chunk, encoding }) => toBytes(chunk, encoding)))), callback);
  process.on("exit", atExit);
  if (count === 0) finish();
}
