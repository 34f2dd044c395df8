#!/usr/bin/env node
// Starts the program of the package for this system, @omcbuild/PLATFORM-ARCH, which npm installs as an optional
// dependency. Nothing is downloaded and no script runs when this package is installed.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");
const path = require("node:path");

const own = require("../package.json");
const offered = Object.keys(own.optionalDependencies ?? {});

function fail(message, hint) {
  process.stderr.write(`error: ${message}\n  ${hint}\n`);
  process.exit(1);
}

// program returns the path of the program for this system, or ends with what is in its way.
function program() {
  const name = `@omcbuild/${process.platform}-${os.arch()}`;
  if (!offered.includes(name)) {
    const systems = offered.map((o) => o.replace("@omcbuild/", "")).sort();
    fail(`omcbuild is not published for ${process.platform}-${os.arch()}`, `it is for ${systems.join(", ")}; elsewhere compile it from its sources with Go`);
  }
  let manifest;
  try {
    manifest = require.resolve(`${name}/package.json`);
  } catch {
    fail(
      `the package ${name} is not installed, and it holds the program`,
      "it is an optional dependency: install again without --omit=optional, on the system that omcbuild runs on, and without a node_modules that was copied from another",
    );
  }
  const { version } = require(manifest);
  if (version !== own.version) {
    fail(`the package ${name} is version ${version}, and omcbuild is ${own.version}`, "install omcbuild again, so that both are of one version");
  }
  return path.join(path.dirname(manifest), "bin", process.platform === "win32" ? "omcbuild.exe" : "omcbuild");
}

const file = program();
let child;

// A terminal sends the first two to the program as well, and a second one would end it at once.
const terminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) {
  process.on(signal, () => {
    if (!terminal || signal === "SIGTERM") {
      child.kill(signal);
    }
  });
}
child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`${file} cannot be started: ${error.message}`, "install omcbuild again"));
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal); // so that whoever started this sees how it ended
});
