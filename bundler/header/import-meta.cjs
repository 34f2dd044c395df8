// What import.meta stands for in a CommonJS file.
var __omcbuild_meta = {
  url: require("node:url").pathToFileURL(__filename).href,
  filename: __filename,
  dirname: __dirname,
  main: require.main === module,
  resolve(specifier) {
    if (/^\.{0,2}\//.test(specifier)) return new URL(specifier, this.url).href;
    if (/^[a-z][a-z0-9+.-]+:/i.test(specifier)) return specifier;
    const found = require.resolve(specifier);
    return found === specifier ? `node:${found}` : require("node:url").pathToFileURL(found).href;
  },
};
