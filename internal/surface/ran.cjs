
// Which functions of the server's file ran until the process ended: written down beside this file at its very end, after
// what the server does then. Text of the file that the server looks at itself counts as a sight.
const { Session } = require("node:inspector");
const { pathToFileURL } = require("node:url");
const { emit } = process;
const bundle = process.argv[1];
const address = pathToFileURL(bundle).href;
const { writeFileSync } = fs;
const { toString } = Function.prototype;
const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: false, detailed: false });
process.emit = function (name, ...rest) {
  const heard = Reflect.apply(emit, this, [name, ...rest]);
  if (name === "exit") session.post("Profiler.takePreciseCoverage", noteRan);
  return heard;
};
function noteRan(error, taken) {
  const scripts = error ? [] : taken.result.filter(({ url }) => url === address || url === bundle);
  const functions = scripts.flatMap((script) => script.functions.map(({ ranges: [range] }) => [range.startOffset, range.endOffset, Math.min(range.count, 1)]));
  if (scripts.length === 1) writeFileSync(path.join(__dirname, "ran.json"), JSON.stringify(functions));
}
function itself(file) {
  if (!fromNode() && named(file) === bundle) tell("itself", "");
}
for (const api of [fs, fs.promises]) {
  wrap(api, [...contents, "open", "openSync", "stat", "statSync", "lstat", "lstatSync"], ([file]) => itself(file));
}
wrap(fs, ["createReadStream", "ReadStream"], ([file]) => itself(file));
Function.prototype.toString = function () {
  const text = Reflect.apply(toString, this, []);
  if (!text.endsWith("{ [native code] }")) tell("itself", "");
  return text;
};
Module.syncBuiltinESMExports();
