// Preloaded into a node process that is started before its program is there. Node has booted when this runs, and has
// not looked for the program yet. Two pipes come with it: on 4 it tells what booting cost, on 3 it waits for the
// byte that lets it go on. Without that byte, also when whoever holds it is gone, it ends. Then nothing of this is
// left that a program could see: it runs as if it had just been started.
"use strict";
const { closeSync, readSync, writeSync } = require("node:fs");
const { isMainThread } = require("node:worker_threads"); // threads of the program get the same preload

function released() {
  try {
    const { user, system } = process.cpuUsage();
    writeSync(4, `${user + system}\n`);
    closeSync(4);
    const given = readSync(3, Buffer.alloc(1));
    closeSync(3);
    return given === 1;
  } catch {
    return false; // without the pipes
  }
}
if (isMainThread && !released()) process.reallyExit(0);

const option = process.execArgv.indexOf(__filename);
if (option > 0) process.execArgv.splice(option - 1, 2);
delete require.cache[__filename];
const paths = module.constructor._pathCache;
for (const key of Object.keys(paths)) if (paths[key] === __filename) delete paths[key];
