// How packages outside this file are reached. A plain require or import comes
// first, and nothing else happens when it finds the package. Only when it does
// not, the folders of globally installed packages are searched, and the one that
// has it goes in front of NODE_PATH. npm is asked last, once, for two seconds, and
// never for what is wanted while this file is still being loaded.
var __omcbuild_external = ((wanted) => {
  const { env, platform, execPath } = process;
  const windows = platform === "win32";
  const { delimiter, dirname, join } = require("node:path");
  let asked = false;

  const read = (file) => {
    try {
      return require("node:fs").readFileSync(file, "utf8");
    } catch {
      return "";
    }
  };
  const list = (folder) => {
    try {
      return require("node:fs").readdirSync(folder);
    } catch {
      return [];
    }
  };
  const nameOf = (spec) => spec.split("/", spec[0] === "@" ? 2 : 1).join("/");
  const absent = (error, spec) =>
    (error?.code === "MODULE_NOT_FOUND" && error.message.includes(`'${spec}'`)) ||
    (error?.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${nameOf(spec)}'`));

  // Folders that may hold globally installed packages, the likeliest first.
  function* roots(name) {
    const home = env.HOME || env.USERPROFILE || require("node:os").homedir();
    const data = env.LOCALAPPDATA || join(home, ".local", "share");
    const under = (prefix) => (windows ? join(prefix, "node_modules") : join(prefix, "lib", "node_modules"));
    const prefix = windows ? dirname(execPath) : dirname(dirname(execPath));
    yield* (env.NODE_PATH || "").split(delimiter);
    for (const set of [env.npm_config_prefix, env.NPM_CONFIG_PREFIX, env.PREFIX]) if (set) yield under(set);
    const settings = [env.npm_config_userconfig || join(home, ".npmrc"), env.npm_config_globalconfig || join(prefix, "etc", "npmrc"), join(under(prefix), "npm", "npmrc")];
    for (const file of settings) {
      const set = /^\s*prefix\s*=\s*["']?(.*?)["']?\s*$/m.exec(read(file))?.[1];
      if (set) yield under(set.replace(/\$\{(\w+)\}/g, (_, key) => env[key] || "").replace(/^~(?=[\\/]|$)/, home));
    }
    yield under(prefix);
    for (const bin of (env.PATH || env.Path || "").split(delimiter)) {
      if (bin && require("node:fs").existsSync(join(bin, windows ? "npm.cmd" : "npm"))) yield under(windows ? bin : dirname(bin));
    }
    if (env.APPDATA) yield join(env.APPDATA, "npm", "node_modules");
    for (const base of [env.PNPM_HOME, join(data, "pnpm"), join(home, "Library", "pnpm")]) {
      if (base) for (const layout of list(join(base, "global"))) yield join(base, "global", layout, "node_modules");
    }
    yield join(home, ".config", "yarn", "global", "node_modules");
    yield join(data, "Yarn", "Data", "global", "node_modules");
    yield join(env.BUN_INSTALL || join(home, ".bun"), "install", "global", "node_modules");
    yield under(join(env.VOLTA_HOME || (windows ? join(data, "Volta") : join(home, ".volta")), "tools", "image", "packages", name));
    if (env.NVM_BIN) yield under(dirname(env.NVM_BIN));
    const nvm = env.NVM_DIR || join(home, ".nvm");
    const current = read(join(nvm, "alias", "default")).trim().replace(/^v/, "");
    for (const version of current ? list(join(nvm, "versions", "node")) : []) {
      if (`${version}.`.startsWith(`v${current}.`)) yield under(join(nvm, "versions", "node", version));
    }
    if (!windows) for (const usual of ["/usr/local", "/usr", "/opt/homebrew"]) yield under(usual);
  }

  const compare = (a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

  // The package's folder below one of the roots, which then leads NODE_PATH. A
  // version outside the range that the program was made for is named in the error.
  function search(name, error, folders) {
    const want = wanted[name];
    for (const folder of folders) {
      const text = folder && read(join(folder, name, "package.json"));
      if (!text) continue;
      const { version = "" } = JSON.parse(text);
      const parts = version.split(/[-+]/)[0].split(".").map(Number);
      if (want && !want.spans.some(([low, high]) => compare(parts, low) >= 0 && !(high && compare(parts, high) >= 0))) {
        error.message += `\n${name} ${version} is installed in ${folder}, but ${want.range} is needed`;
        continue;
      }
      const paths = (env.NODE_PATH || "").split(delimiter).filter(Boolean);
      if (!paths.includes(folder)) {
        env.NODE_PATH = [folder, ...paths].join(delimiter);
        require("node:module")._initPaths?.();
      }
      return join(folder, name);
    }
  }

  const npm = (start) => {
    if (asked || !module.loaded) return;
    asked = true;
    const script = windows ? [join(dirname(execPath), "node_modules", "npm", "bin", "npm-cli.js")] : [];
    return start(windows ? execPath : "npm", [...script, "root", "-g"], {
      encoding: "utf8", timeout: 2000, killSignal: "SIGKILL", windowsHide: true, stdio: ["ignore", "pipe", "ignore"],
    });
  };
  const askNow = () => {
    try {
      return npm(require("node:child_process").execFileSync)?.trim();
    } catch {}
  };
  const ask = () =>
    new Promise((done) => {
      try {
        const child = npm((...call) => require("node:child_process").execFile(...call, (failed, out) => done(failed ? "" : out.trim())));
        if (!child) done();
      } catch {
        done();
      }
    });

  // The file that import() of a package in a folder means.
  function entry(folder, spec) {
    const { exports } = JSON.parse(read(join(folder, "package.json")));
    const path = `.${spec.slice(nameOf(spec).length)}`;
    const choose = (value) => {
      if (typeof value !== "object" || !value) return value;
      if (Array.isArray(value)) return value.map(choose).find(Boolean);
      return Object.keys(value).filter((key) => ["node", "import", "module-sync", "node-addons", "default"].includes(key)).map((key) => choose(value[key])).find(Boolean);
    };
    const paths = typeof exports === "object" && Object.keys(exports)[0]?.[0] === "." ? exports : { ".": exports };
    if (typeof paths[path] !== "undefined") return join(folder, choose(paths[path]) ?? "");
    for (const pattern of Object.keys(paths)) {
      const [before, after] = pattern.split("*");
      if (after === undefined || !path.startsWith(before) || !path.endsWith(after)) continue;
      const target = choose(paths[pattern]);
      if (target) return join(folder, target.replaceAll("*", path.slice(before.length, path.length - after.length)));
    }
    return require.resolve(join(folder, path));
  }

  const attempt = (spec, use) => {
    try {
      return use(spec);
    } catch (error) {
      const name = nameOf(spec);
      if (!absent(error, spec) || !(search(name, error, roots(name)) || search(name, error, [askNow()]))) throw error;
      return use(spec);
    }
  };
  const load = (spec) => attempt(spec, require);
  load.resolve = (spec, options) => attempt(spec, (found) => require.resolve(found, options));
  load.import = async (spec) => {
    const ready = module.loaded;
    try {
      return await import(spec);
    } catch (error) {
      const name = nameOf(spec);
      const folder = absent(error, spec) && (search(name, error, roots(name)) || search(name, error, [ready && (await ask())]));
      if (!folder) throw error;
      return import(require("node:url").pathToFileURL(entry(folder, spec)).href);
    }
  };
  return load;
})(/* RANGES */ {});
