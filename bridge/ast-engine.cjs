#!/usr/bin/env node
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
})({"@ast-grep/napi":{"range":"\u003e=0.31 \u003c1","spans":[[[0,31,0],[1,0,0]]]}});
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __commonJS = (cb, mod) => function __require() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));

// external:@ast-grep/napi
var require_napi = __commonJS({
  "external:@ast-grep/napi"(exports2, module2) {
    module2.exports = __omcbuild_external("@ast-grep/napi");
  }
});

// src/node_modules/ignore/index.js
var require_ignore = __commonJS({
  "src/node_modules/ignore/index.js"(exports2, module2) {
    function makeArray(subject) {
      return Array.isArray(subject) ? subject : [subject];
    }
    var UNDEFINED = void 0;
    var EMPTY = "";
    var SPACE = " ";
    var ESCAPE = "\\";
    var REGEX_LITERAL_SPECIAL = /[.*+?()[\]{}^$|\\/]/;
    var BOM = "\uFEFF";
    var REGEX_ANCHORED_GLOBSTAR = /^\/\*{2,}$/;
    var REGEX_REPLACE_LEADING_EXCAPED_EXCLAMATION = /^\\!/;
    var REGEX_REPLACE_LEADING_EXCAPED_HASH = /^\\#/;
    var REGEX_SPLITALL_CRLF = /\r?\n/g;
    var DOUBLE_SLASH = "//";
    var SLASH_CODE = 47;
    var DOT_CODE = 46;
    var SLASH = "/";
    var TMP_KEY_IGNORE = "node-ignore";
    if (typeof Symbol !== "undefined") {
      TMP_KEY_IGNORE = /* @__PURE__ */ Symbol.for("node-ignore");
    }
    var KEY_IGNORE = TMP_KEY_IGNORE;
    var define = (object, key, value) => {
      Object.defineProperty(object, key, { value });
      return value;
    };
    var RETURN_FALSE = () => false;
    var POSIX_CLASSES = {
      alnum: "0-9A-Za-z",
      alpha: "A-Za-z",
      blank: " \\t",
      cntrl: "\\x00-\\x1f\\x7f",
      digit: "0-9",
      graph: "!-.0-~",
      lower: "a-z",
      print: " -.0-~",
      punct: "!-.:-@\\[-`{-~",
      // git's `sane-ctype.h` classifies \v and \f as control, not space,
      //   unlike C's `isspace`
      space: " \\t\\n\\r",
      upper: "A-Z",
      xdigit: "0-9A-Fa-f"
    };
    var CLASS_MEMBERS_TO_ESCAPE = "\\]^-[";
    var escapeMember = (char) => CLASS_MEMBERS_TO_ESCAPE.indexOf(char) < 0 ? char : ESCAPE + char;
    var NON_SLASH = "(?!\\/)";
    var classSource = (negated, body) => {
      if (negated) {
        return `[^\\/${body}]`;
      }
      const source = `[${body}]`;
      return new RegExp(source).test("/") ? NON_SLASH + source : source;
    };
    var scanBracket = (pattern, start) => {
      const { length } = pattern;
      let index = start + 1;
      let negated = EMPTY;
      const lead = pattern[index];
      if (lead === "!" || lead === "^") {
        negated = "^";
        index++;
      }
      let body = EMPTY;
      let prev = EMPTY;
      for (; ; ) {
        const char = pattern[index];
        if (char === UNDEFINED) {
          return null;
        }
        if (char === ESCAPE) {
          const escaped = pattern[++index];
          body += escapeMember(escaped);
          prev = escaped;
        } else if (char === "-" && prev && index + 1 < length && pattern[index + 1] !== "]") {
          index++;
          let to = pattern[index];
          if (to === ESCAPE) {
            to = pattern[index += 1];
          }
          if (prev <= to) {
            body += `-${escapeMember(to)}`;
          }
          prev = EMPTY;
        } else if (char === "[" && pattern[index + 1] === ":") {
          const nameStart = index + 2;
          let end = nameStart;
          while (end < length && pattern[end] !== "]") {
            end++;
          }
          if (end === length) {
            return null;
          }
          if (end > nameStart && pattern[end - 1] === ":") {
            const name = pattern.slice(nameStart, end - 1);
            if (!Object.prototype.hasOwnProperty.call(POSIX_CLASSES, name)) {
              return null;
            }
            body += POSIX_CLASSES[name];
            prev = EMPTY;
            index = end;
          } else {
            body += escapeMember("[");
            prev = "[";
            index = nameStart - 2;
          }
        } else {
          body += escapeMember(char);
          prev = char;
        }
        index++;
        if (pattern[index] === "]") {
          return {
            end: index,
            source: classSource(negated, body)
          };
        }
      }
    };
    var NEVER_MATCH = "[]";
    var PLACEHOLDER = "\0";
    var REGEX_RESTORE_PLACEHOLDER = new RegExp(
      `${PLACEHOLDER}(\\d+)${PLACEHOLDER}`,
      "g"
    );
    var TRAILING_WILDCARD = "";
    var TRAILING_DOUBLESTAR = "";
    var isReserved = (char) => char === PLACEHOLDER || char === TRAILING_WILDCARD || char === TRAILING_DOUBLESTAR;
    var extractBrackets = (pattern) => {
      const sources = [];
      const hold = (source) => `${PLACEHOLDER}${sources.push(source) - 1}${PLACEHOLDER}`;
      const { length } = pattern;
      let out = EMPTY;
      let index = 0;
      while (index < length) {
        const char = pattern[index];
        if (char === ESCAPE) {
          const escaped = pattern[index + 1];
          if (escaped === SLASH && index + 2 === length) {
            out += hold(NEVER_MATCH);
          } else if (escaped === "*" || escaped === "[" || escaped === SPACE) {
            out += pattern.slice(index, index + 2);
          } else {
            out += hold(
              REGEX_LITERAL_SPECIAL.test(escaped) ? ESCAPE + escaped : isReserved(escaped) ? `[${escaped}]` : escaped
            );
          }
          index += 2;
        } else if (isReserved(char)) {
          out += hold(`[${char}]`);
          index++;
        } else if (char === "[") {
          const scanned = scanBracket(pattern, index);
          if (scanned === null) {
            out += hold(NEVER_MATCH);
            index = length;
          } else {
            out += hold(scanned.source);
            index = scanned.end + 1;
          }
        } else {
          out += char;
          index++;
        }
      }
      return {
        source: out,
        sources
      };
    };
    var DIRECT = null;
    var REGEX_INNER_SLASH = /\/(?!$)/;
    var WILDCARD = "[^\\/]*";
    var REPLACERS = [
      // Replace (\ ) with ' '
      // Only a space: an escaped tab or other whitespace is already a literal by
      //   the time it reaches here, and a bare tab must be left as one, not turned
      //   into a space.
      // (\ ) -> ' '
      // (\\ ) -> '\\ '
      // (\\\ ) -> '\\ '
      [
        // A run of backslashes is taken whole, from its first one, so no match
        //   ever starts again inside it -- `(\\+?) ` did, which made a long run
        //   quadratic.
        /(\\+)( ?)/g,
        (_, run, space) => space ? run.slice(0, run.length - run.length % 2) + SPACE : run,
        ESCAPE + SPACE
      ],
      // git's wildmatch() reads a run of two or more asterisks as one globstar
      //   whenever the run fills a path segment: it starts the pattern or follows
      //   a `/`, and it ends the pattern or comes before a `/`. A run of two is
      //   already `**`; a longer one is folded into `**` here, so the steps
      //   below only ever have to know `**`.
      // `***/foo` -> `**/foo`, `a/***/b` -> `a/**/b`, `a/***` -> `a/**`
      // git also takes a run beside a literal prefix (`a***/b`) or beside an
      //   escaped slash (`***\/b`) as a globstar, and this does not; the README
      //   lists both, under "A run of asterisks".
      [
        /(^|\/)\*{3,}(?=\/|$)/g,
        (_, start) => `${start}**`,
        "*"
      ],
      // Escape metacharacters
      // which is written down by users but means special for regular expressions.
      // > There are 12 characters with special meanings:
      // > - the backslash \,
      // > - the caret ^,
      // > - the dollar sign $,
      // > - the period or dot .,
      // > - the vertical bar or pipe symbol |,
      // > - the question mark ?,
      // > - the asterisk or star *,
      // > - the plus sign +,
      // > - the opening parenthesis (,
      // > - the closing parenthesis ),
      // > - and the opening square bracket [,
      // > - the opening curly brace {,
      // > These special characters are often called "metacharacters".
      [
        /[\\$.|*+(){^]/g,
        (match) => `\\${match}`
      ],
      [
        // > a question mark (?) matches a single character
        /(?!\\)\?/g,
        () => "[^/]",
        "?"
      ],
      // leading slash
      [
        // > A leading slash matches the beginning of the pathname.
        // > For example, "/*.c" matches "cat-file.c" but not "mozilla-sha1/sha1.c".
        // A leading slash matches the beginning of the pathname
        /^\//,
        () => "^",
        SLASH
      ],
      // replace special metacharacter slash after the leading slash
      [
        /\//g,
        () => "\\/",
        SLASH
      ],
      [
        // > A leading "**" followed by a slash means match in all directories.
        // > For example, "**/foo" matches file or directory "foo" anywhere,
        // > the same as pattern "foo".
        // > "**/foo/bar" matches file or directory "bar" anywhere that is directly
        // >   under directory "foo".
        // Notice that the '*'s have been replaced as '\\*'
        /^\^*(?:\\\*\\\*\\\/)+/,
        // '**/foo' <-> 'foo'
        () => "(?:^|\\/)",
        "*"
      ],
      // starting
      [
        // there will be no leading '/'
        //   (which has been replaced by section "leading slash")
        // If starts with '**', adding a '^' to the regular expression also works
        DIRECT,
        (source, pattern) => {
          if (!source || source[0] === "^" || source[0] === "(") {
            return source;
          }
          const anchor = !REGEX_INNER_SLASH.test(pattern) ? "(?:^|\\/)" : "^";
          return anchor + source;
        }
      ],
      // two globstars
      [
        // Use lookahead assertions so that we could match more than one `'/**'`
        /\\\/\\\*\\\*(?=\\\/|$)/g,
        // Zero, one or several directories
        // should not use '*', or it will be replaced by the next replacer
        // Check if it is not the last `'/**'`
        (_, index, str) => index + 6 < str.length ? str.slice(index + 6) === "\\/" ? "(?:\\/[^\\/]+)+" : "(?:\\/[^\\/]+)*" : `\\/${TRAILING_DOUBLESTAR}`,
        "*"
      ],
      // normal intermediate wildcards
      [
        // Never replace escaped '*'
        // ignore rule '\*' will match the path '*'
        // 'abc.*/' -> go
        // 'abc.*'  -> skip this rule,
        //    coz trailing single wildcard will be handed by [trailing wildcard]
        /(^|[^\\])(?:\\\*)+(?!$)/g,
        // '*.js' matches '.js'
        // '*.js' doesn't match 'abc'
        // 1. An asterisk "*" matches anything except a slash.
        // 2. Other consecutive asterisks are considered regular asterisks
        //    and collapse into one non-slash wildcard run.
        (_, p1) => p1 + WILDCARD,
        "*"
      ],
      // trailing wildcard, held apart from a literal star
      [
        // The step above leaves a trailing `*` alone, so a single `\*` is all that
        //   can be left at the end here, and what stands in front of it says which
        //   kind it is. A wildcard arrives as the escaper wrote it, `\*` with
        //   nothing before it; a literal arrives as the user's own escape, which
        //   the escaper doubled, and then the star's own -- `\\` and then `\*`.
        //   There is no third case: every backslash still reaching the chain is
        //   one `\*`, `\[` or `\ ` carries itself, and each is followed by its
        //   own character, so a longer run can never form. This runs while the
        //   two are still distinct, before the unescape steps below collapse the
        //   literal onto the very `\*` a wildcard leaves behind.
        /(^|[^\\])((?:\\\\)*)\\\*$/,
        (match, p1, p2) => p2 === EMPTY ? p1 + TRAILING_WILDCARD : match,
        "*"
      ],
      [
        // unescape, revert step 3 except for back slash
        // For example, if a user escape a '\\*',
        // after step 3, the result will be '\\\\\\*'
        /\\\\\\(?=[$.|*+(){^])/g,
        () => ESCAPE,
        ESCAPE + ESCAPE
      ],
      [
        // '\\\\' -> '\\'
        /\\\\/g,
        () => ESCAPE,
        ESCAPE + ESCAPE
      ],
      [
        // Every real bracket expression -- POSIX classes included -- has already
        //   been held aside by `extractBrackets`, so the only `[` left in the
        //   pattern is an escaped, literal one.
        // A backslash could only stand at the end of the range if it quoted the
        //   `]`, and `\]` is held aside long before this.
        /\\\[([^\]/]*?)($|\])/g,
        // '\\[bar]' -> '\\\\[bar]'
        (match, range, close) => `\\[${range}${close}`,
        "["
      ],
      // ending
      [
        // 'js' will not match 'js.'
        // 'ab' will not match 'abc'
        DIRECT,
        // WTF!
        // https://git-scm.com/docs/gitignore
        // changes in [2.22.1](https://git-scm.com/docs/gitignore/2.22.1)
        // which re-fixes #24, #38
        // > If there is a separator at the end of the pattern then the pattern
        // > will only match directories, otherwise the pattern can match both
        // > files and directories.
        // 'js*' will not match 'a.js'
        // 'js/' will not match 'a.js'
        // 'js' will match 'a.js' and 'a.js/'
        (source) => {
          const last = source[source.length - 1];
          if (!last || last === TRAILING_WILDCARD || last === TRAILING_DOUBLESTAR) {
            return source;
          }
          return last === SLASH ? `${source}$` : `${source}(?=$|\\/$)`;
        }
      ]
    ];
    var REGEX_REPLACE_TRAILING_WILDCARD = /(^|\\\/)?\uE000$/;
    var MODE_IGNORE = "regex";
    var MODE_CHECK_IGNORE = "checkRegex";
    var UNDERSCORE = "_";
    var replaceTrailingWildcard = (_, p1) => {
      const prefix = p1 ? `${p1}[^/]+` : "[^/]*";
      return `${prefix}(?=$|\\/$)`;
    };
    var REGEX_REPLACE_TRAILING_DOUBLESTAR = /\uE001$/;
    var replaceTrailingDoublestar = () => "[\\s\\S]";
    var separatorAfter = (run, at) => {
      let separator = EMPTY;
      for (let index = at + 1; index < run.length && !run[index].wildcard; index++) {
        separator += run[index].single;
      }
      return separator;
    };
    var pinWildcards = (source) => {
      if (source.indexOf(WILDCARD) < 0) {
        return source;
      }
      const tokens = [];
      const { length } = source;
      let index = 0;
      while (index < length) {
        const char = source[index];
        if (source.startsWith(WILDCARD, index)) {
          tokens.push({ wildcard: true });
          index += WILDCARD.length;
        } else if (char === "[") {
          let end = index + 1;
          if (source[end] === "^") {
            end++;
          }
          if (source[end] === "]") {
            end++;
          }
          while (end < length && source[end] !== "]") {
            end += source[end] === ESCAPE ? 2 : 1;
          }
          end++;
          tokens.push({ single: source.slice(index, end) });
          index = end;
        } else if (char === ESCAPE) {
          tokens.push({ single: source.slice(index, index + 2) });
          index += 2;
        } else if (char === "(") {
          let depth = 0;
          let end = index;
          do {
            if (source[end] === ESCAPE) {
              end++;
            } else if (source[end] === "(") {
              depth++;
            } else if (source[end] === ")") {
              depth--;
            }
            end++;
          } while (end < length && depth > 0);
          if ("*+?".indexOf(source[end]) >= 0) {
            end++;
          }
          tokens.push({ boundary: source.slice(index, end) });
          index = end;
        } else if (char === "^" || char === "$") {
          tokens.push({ boundary: char });
          index++;
        } else {
          tokens.push({ single: char });
          index++;
        }
      }
      let out = EMPTY;
      let run = [];
      const flush = () => {
        let lastWildcard;
        run.forEach((token, at) => {
          if (token.wildcard) {
            lastWildcard = at;
          }
        });
        run.forEach((token, at) => {
          if (!token.wildcard) {
            out += token.single;
            return;
          }
          out += at === lastWildcard ? WILDCARD : `(?:(?!${separatorAfter(run, at)})[^\\/])*`;
        });
        run = [];
      };
      tokens.forEach((token) => {
        if (token.boundary === void 0) {
          run.push(token);
          return;
        }
        flush();
        out += token.boundary;
      });
      flush();
      return out;
    };
    var makeRegexPrefix = (pattern) => {
      if (REGEX_ANCHORED_GLOBSTAR.test(pattern)) {
        pattern = "**";
      }
      const { source, sources } = extractBrackets(pattern);
      const replaced = REPLACERS.reduce(
        // A pass whose matcher finds nothing hands back the very string it was
        //   given, so asking first costs a search and saves a rewrite. Ten of the
        //   fifteen passes never fire for a typical .gitignore line, and between
        //   them they were 45% of this chain.
        (prev, [matcher, replacer, required]) => {
          if (matcher === DIRECT) {
            return replacer(prev, pattern);
          }
          if (required !== UNDEFINED && prev.indexOf(required) < 0) {
            return prev;
          }
          return matcher.test(prev) ? prev.replace(matcher, replacer.bind(pattern)) : prev;
        },
        source
      );
      return sources.length ? replaced.replace(
        REGEX_RESTORE_PLACEHOLDER,
        (match, index) => sources[index]
      ) : replaced;
    };
    var checkSourceOf = (body, prefix) => {
      if (body[body.length - 1] === SLASH) {
        prefix = makeRegexPrefix(body.slice(0, -1));
      }
      const head = prefix.slice(0, -1);
      const last = prefix[prefix.length - 1];
      return last === TRAILING_WILDCARD ? `${head}$` : last === TRAILING_DOUBLESTAR ? head : NEVER_MATCH;
    };
    var matchesBasename = (body) => {
      const index = body.indexOf(SLASH);
      return index < 0 || index === body.length - 1;
    };
    var basenameOf = (path) => {
      const end = path.length - 1;
      const index = path.lastIndexOf(
        SLASH,
        path[end] === SLASH ? end - 1 : end
      );
      return index < 0 ? path : path.slice(index + 1);
    };
    var parentOf = (path) => {
      if (path.charCodeAt(0) === SLASH_CODE || path.indexOf(DOUBLE_SLASH) >= 0) {
        const slices = path.split(SLASH).filter(Boolean);
        slices.pop();
        return slices.length ? slices.join(SLASH) + SLASH : EMPTY;
      }
      const end = path.length - 1;
      const cut = path.lastIndexOf(
        SLASH,
        path.charCodeAt(end) === SLASH_CODE ? end - 1 : end
      );
      return cut < 0 ? EMPTY : path.slice(0, cut + 1);
    };
    var isString = (subject) => typeof subject === "string";
    var checkPattern = (pattern) => pattern && isString(pattern);
    var splitPattern = (pattern) => (pattern[pattern.length - 1] === "\r" ? pattern.slice(0, -1) : pattern).split(REGEX_SPLITALL_CRLF).filter(Boolean);
    var IgnoreRule = class {
      constructor(pattern, mark, body, ignoreCase, negative, prefix) {
        this.pattern = pattern;
        this.mark = mark;
        this.negative = negative;
        define(this, "body", body);
        define(this, "ignoreCase", ignoreCase);
        define(this, "regexPrefix", prefix);
      }
      // Worked out on first use and kept behind an own property, the way `regex`
      //   caches itself in `_regex`. Deciding it in the constructor instead would
      //   add a fourth `defineProperty` to every rule ever built, which cost 4% of
      //   every compile -- including the compiles of rules that are never matched
      //   against anything.
      get _basenameOnly() {
        return define(this, "_basenameOnly", matchesBasename(this.body));
      }
      get regex() {
        const key = UNDERSCORE + MODE_IGNORE;
        if (this[key]) {
          return this[key];
        }
        return this._make(MODE_IGNORE, key);
      }
      get checkRegex() {
        const key = UNDERSCORE + MODE_CHECK_IGNORE;
        if (this[key]) {
          return this[key];
        }
        return this._make(MODE_CHECK_IGNORE, key);
      }
      _make(mode, key) {
        const str = pinWildcards(
          mode === MODE_IGNORE ? this.regexPrefix.replace(REGEX_REPLACE_TRAILING_WILDCARD, replaceTrailingWildcard).replace(REGEX_REPLACE_TRAILING_DOUBLESTAR, replaceTrailingDoublestar) : checkSourceOf(this.body, this.regexPrefix)
        );
        const regex = this.ignoreCase ? new RegExp(str, "i") : new RegExp(str);
        return define(this, key, regex);
      }
    };
    var hasTrailingBackslash = (str) => {
      let count = 0;
      while (str[str.length - count - 1] === ESCAPE) {
        count++;
      }
      return count % 2 === 1;
    };
    var trimEnd = (body, stripLineEnd) => {
      let lineEnd = body.length;
      let end;
      for (; ; ) {
        if (stripLineEnd && body[lineEnd - 1] === "\r") {
          lineEnd--;
        }
        end = lineEnd;
        while (body[end - 1] === SPACE) {
          end--;
        }
        if (!stripLineEnd || body[end - 1] !== "\n") {
          break;
        }
        lineEnd = end - 1;
      }
      if (end === lineEnd) {
        return body.slice(0, lineEnd);
      }
      let backslashes = 0;
      while (body[end - backslashes - 1] === ESCAPE) {
        backslashes++;
      }
      return backslashes % 2 ? body.slice(0, end - 1) + SPACE : body.slice(0, end);
    };
    var createRule = (pattern, mark, ignoreCase, stripLineEnd, stripBOM) => {
      let body = stripBOM && pattern[0] === BOM ? pattern.slice(1) : pattern;
      if (body[0] === "#") {
        return;
      }
      let negative = false;
      if (body[0] === "!") {
        negative = true;
        body = body.slice(1);
      }
      const last = body[body.length - 1];
      if (last === SPACE || stripLineEnd && (last === "\r" || last === "\n")) {
        body = trimEnd(body, stripLineEnd);
      }
      if (!body || hasTrailingBackslash(body)) {
        return;
      }
      body = body.replace(REGEX_REPLACE_LEADING_EXCAPED_EXCLAMATION, "!").replace(REGEX_REPLACE_LEADING_EXCAPED_HASH, "#");
      const regexPrefix = makeRegexPrefix(body);
      return new IgnoreRule(
        pattern,
        mark,
        body,
        ignoreCase,
        negative,
        regexPrefix
      );
    };
    var RuleManager = class {
      constructor(ignoreCase) {
        this._ignoreCase = ignoreCase;
        this._rules = [];
        this._basenameCount = 0;
      }
      _add(pattern, index) {
        if (pattern && pattern[KEY_IGNORE]) {
          this._rules = this._rules.concat(pattern._rules._rules);
          this._basenameCount += pattern._rules._basenameCount;
          this._added = true;
          return;
        }
        const isStr = isString(pattern);
        const raw = isStr ? pattern : pattern.pattern;
        const rule = checkPattern(raw) && createRule(
          raw,
          isStr ? UNDEFINED : pattern.mark,
          this._ignoreCase,
          !this._split,
          this._stripBOM && !index
        );
        if (rule) {
          this._added = true;
          this._rules.push(rule);
          if (matchesBasename(rule.body)) {
            this._basenameCount++;
          }
        }
      }
      // @param {Array<string> | string | Ignore} pattern
      add(pattern) {
        this._added = false;
        this._split = isString(pattern);
        this._stripBOM = !this._split || pattern[0] === BOM;
        makeArray(
          this._split ? splitPattern(pattern) : pattern
        ).forEach(this._add, this);
        if (this._added) {
          this._literalRules = UNDEFINED;
        }
        return this._added;
      }
      // Match the literal 'abc/' for `checkIgnore`, last rule wins. Only a rule
      //   ending in a wildcard can match it (see `checkSourceOf`), so the rest
      //   are left out once, rather than tested or compiled for every path.
      testLiteral(path) {
        const rules = this._literalRules || (this._literalRules = this._rules.filter(
          ({ body }) => body[body.length - (body[body.length - 1] === SLASH ? 2 : 1)] === "*"
        ));
        let ignored = false;
        let unignored = false;
        let matchedRule;
        for (let index = rules.length - 1; index >= 0; index--) {
          const rule = rules[index];
          if (rule.checkRegex.test(path)) {
            ignored = !rule.negative;
            unignored = rule.negative;
            matchedRule = rule.negative ? UNDEFINED : rule;
            break;
          }
        }
        const ret = {
          ignored,
          unignored
        };
        if (matchedRule) {
          ret.rule = matchedRule;
        }
        return ret;
      }
      // Test one single path without recursively checking parent directories
      //
      // - mode `string` either `MODE_IGNORE` or `MODE_CHECK_IGNORE`
      // @returns {TestResult}
      test(path, mode) {
        const rules = this._rules;
        const { length } = rules;
        const shortcut = this._basenameCount * 2 >= length;
        const basename2 = shortcut ? basenameOf(path) : path;
        for (let index = length - 1; index >= 0; index--) {
          const rule = rules[index];
          if (rule[mode].test(
            shortcut && rule._basenameOnly ? basename2 : path
          )) {
            const { negative } = rule;
            const ret = {
              ignored: !negative,
              unignored: negative
            };
            if (!negative) {
              ret.rule = rule;
            }
            return ret;
          }
        }
        return {
          ignored: false,
          unignored: false
        };
      }
    };
    var throwError = (message, Ctor) => {
      throw new Ctor(message);
    };
    var checkPath = (path, originalPath, doThrow) => {
      if (!isString(path)) {
        return doThrow(
          `path must be a string, but got \`${originalPath}\``,
          TypeError
        );
      }
      if (!path) {
        return doThrow(`path must not be empty`, TypeError);
      }
      if (checkPath.isNotRelative(path)) {
        const r = "`path.relative()`d";
        return doThrow(
          `path should be a ${r} string, but got "${originalPath}"`,
          RangeError
        );
      }
      return true;
    };
    var isNotRelative = (path) => {
      const first = path.charCodeAt(0);
      if (first === SLASH_CODE) {
        return true;
      }
      if (first !== DOT_CODE) {
        return false;
      }
      if (path.length === 1) {
        return true;
      }
      const second = path.charCodeAt(1);
      if (second === SLASH_CODE) {
        return true;
      }
      if (second !== DOT_CODE) {
        return false;
      }
      return path.length === 2 || path.charCodeAt(2) === SLASH_CODE;
    };
    checkPath.isNotRelative = isNotRelative;
    checkPath.convert = (p) => p;
    var convertPath = (target) => isString(target) && checkPath.convert(target);
    var Ignore = class {
      constructor({
        ignorecase = true,
        ignoreCase = ignorecase,
        allowRelativePaths = false
      } = {}) {
        define(this, KEY_IGNORE, true);
        this._rules = new RuleManager(ignoreCase);
        this._strictPathCheck = !allowRelativePaths;
        this._initCache();
      }
      _initCache() {
        this._ignoreCache = /* @__PURE__ */ Object.create(null);
        this._testCache = /* @__PURE__ */ Object.create(null);
      }
      add(pattern) {
        if (this._rules.add(pattern)) {
          this._initCache();
        }
        return this;
      }
      // legacy
      addPattern(pattern) {
        return this.add(pattern);
      }
      // @returns {TestResult}
      _test(originalPath, cache, path) {
        checkPath(
          path,
          originalPath,
          this._strictPathCheck ? throwError : RETURN_FALSE
        );
        return path ? this._t(path, cache) : {
          ignored: false,
          unignored: false
        };
      }
      checkIgnore(target) {
        const path = convertPath(target);
        if (!path || path.charCodeAt(path.length - 1) !== SLASH_CODE) {
          return this._test(target, this._testCache, path);
        }
        const dir = this._t(path, this._testCache);
        if (dir.ignored) {
          return dir;
        }
        const literal = this._rules.testLiteral(path);
        return literal.ignored || literal.unignored ? literal : dir;
      }
      _t(path, cache) {
        const cached = cache[path];
        if (cached) {
          return cached;
        }
        const parentPath = parentOf(path);
        const parent = parentPath ? this._t(parentPath, cache) : UNDEFINED;
        return cache[path] = parent && parent.ignored ? parent : this._rules.test(path, MODE_IGNORE);
      }
      ignores(path) {
        return this._test(path, this._ignoreCache, convertPath(path)).ignored;
      }
      createFilter() {
        return (path) => !this.ignores(path);
      }
      filter(paths) {
        return makeArray(paths).filter(this.createFilter());
      }
      // @returns {TestResult}
      test(path) {
        return this._test(path, this._testCache, convertPath(path));
      }
    };
    var factory = (options) => new Ignore(options);
    var isPathValid = (path) => checkPath(convertPath(path), path, RETURN_FALSE);
    var setupWindows = () => {
      const makePosix = (str) => /^\\\\\?\\/.test(str) || /["<>|\u0000-\u001F]+/u.test(str) ? str : str.replace(/\\/g, "/");
      checkPath.convert = makePosix;
      const REGEX_TEST_WINDOWS_PATH_ABSOLUTE = /^[a-z]:\//i;
      checkPath.isNotRelative = (path) => REGEX_TEST_WINDOWS_PATH_ABSOLUTE.test(path) || isNotRelative(path);
    };
    if (
      // Detect `process` so that it can run in browsers.
      typeof process !== "undefined" && process.platform === "win32"
    ) {
      setupWindows();
    }
    module2.exports = factory;
    factory.default = factory;
    module2.exports.isPathValid = isPathValid;
    define(module2.exports, /* @__PURE__ */ Symbol.for("setupWindows"), setupWindows);
  }
});

// src/ast/engine.ts
var import_node_worker_threads = require("node:worker_threads");

// src/tools/error-text.ts
var import_node_path = require("node:path");
var MISTAKES = [TypeError, ReferenceError, SyntaxError, RangeError, EvalError, URIError];
function errorText(error) {
  if (!(error instanceof Error)) return typeof error === "string" && error !== "" ? error : "failed without a reason";
  if (isSystemError(error)) return systemErrorText(error);
  if (isMissingModule(error)) return missingModuleText(error);
  if (isMistake(error)) return `internal error (${error.name}); the server's stderr has the details`;
  return error.message === "" ? error.name : error.message;
}
function isMistake(error) {
  return MISTAKES.some((kind) => error instanceof kind) && !isSystemError(error);
}
function isSystemError(error) {
  const { code, syscall } = error;
  return typeof code === "string" && typeof syscall === "string";
}
function isMissingModule(error) {
  const { code } = error;
  return code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND";
}
function missingModuleText(error) {
  const [, name = ""] = /'([^'\n]*)'/.exec(error.message) ?? [];
  return `a part of the server is missing ('${(0, import_node_path.isAbsolute)(name) ? (0, import_node_path.basename)(name) : name}'); install the plugin again`;
}
var MADE_FOR = [/^\.(.+)\.tmp\.[\da-f-]{36,}$/, /^(.+?)\.(?:mutation\.|team-state\.)?lock\.\d+\.[\da-f-]{36,}\.tmp$/];
function systemErrorText(error) {
  const said = /^[A-Z0-9_]+: [^,]*/.exec(error.message)?.[0] ?? String(error.code);
  const where = error.path === void 0 ? "" : ` '${knownName((0, import_node_path.basename)(error.path))}'`;
  return `${said} (${error.syscall}${where})`;
}
function knownName(name) {
  return MADE_FOR.reduce((known, pattern) => pattern.exec(known)?.[1] ?? known, name);
}

// src/ast/module.ts
var import_node_module = require("node:module");

// src/ast/languages.ts
var EXTENSIONS = {
  javascript: [".js", ".mjs", ".cjs", ".jsx"],
  typescript: [".ts", ".mts", ".cts"],
  tsx: [".tsx"],
  python: [".py"],
  ruby: [".rb"],
  go: [".go"],
  rust: [".rs"],
  java: [".java"],
  kotlin: [".kt", ".kts"],
  swift: [".swift"],
  c: [".c", ".h"],
  cpp: [".cpp", ".cc", ".cxx", ".hpp"],
  csharp: [".cs"],
  html: [".html", ".htm"],
  css: [".css"],
  json: [".json"],
  yaml: [".yaml", ".yml"]
};
var LANGUAGES = Object.keys(EXTENSIONS);
function hasBraces(language) {
  return !["python", "ruby", "html", "css", "json", "yaml"].includes(language);
}
var SIGILS = {
  c: "𐀀",
  cpp: "𐀀",
  csharp: "µ",
  css: "_",
  go: "µ",
  html: "z",
  kotlin: "µ",
  python: "µ",
  ruby: "µ",
  rust: "µ",
  swift: "µ"
};
var SCRIPT = [
  { before: "x = { ", after: " }", kinds: ["pair", "method_definition"] },
  { before: "class X { ", after: " }", kinds: ["method_definition", "public_field_definition", "field_definition"] }
];
var SURROUNDINGS = {
  javascript: SCRIPT,
  typescript: SCRIPT,
  tsx: SCRIPT,
  go: [{ before: "func x() { ", after: " }", kinds: ["call_expression"] }],
  c: [{ before: "void x() { ", after: "; }", kinds: ["call_expression"] }],
  css: [{ before: "x { ", after: " }", kinds: ["declaration"] }],
  java: [{ before: "class X { ", after: " }", kinds: ["method_declaration", "constructor_declaration", "field_declaration"] }],
  json: [{ before: "{ ", after: " }", kinds: ["pair"] }]
};
var MISREADINGS = {
  go: ["type_conversion_expression"],
  c: ["macro_type_specifier"]
};

// src/ast/module.ts
async function loadEngine() {
  const napi = await loadNapi();
  const near = nearby();
  const builtIn = new Map(Object.values(napi.Lang).map((name) => [name.toLowerCase(), name]));
  const missing = LANGUAGES.filter((language) => !builtIn.has(language));
  const registered = register(napi, near, missing);
  const grammars = /* @__PURE__ */ new Map();
  for (const language of LANGUAGES) {
    const dynamic = registered.get(language);
    const name = dynamic === void 0 ? builtIn.get(language) : language;
    if (name === void 0) continue;
    const sigil = dynamic?.expandoChar ?? SIGILS[language] ?? "$";
    grammars.set(language, { sigil, parse: (source) => napi.parse(name, source).root() });
  }
  return { version: versionOf(near), grammar: (language) => grammars.get(language) };
}
async function loadNapi() {
  try {
    return require_napi();
  } catch (error) {
    if (error.code !== "ERR_REQUIRE_ESM") throw error;
    return await __omcbuild_external.import(      "@ast-grep/napi");
  }
}
function nearby() {
  try {
    return (0, import_node_module.createRequire)(__omcbuild_external.resolve(              "@ast-grep/napi"));
  } catch {
    return require;
  }
}
function register(napi, near, missing) {
  const found = /* @__PURE__ */ new Map();
  if (typeof napi.registerDynamicLanguage !== "function") return found;
  for (const language of missing) {
    const loaded = languagePackage(near, language);
    if (loaded !== void 0) found.set(language, loaded);
  }
  if (found.size === 0) return found;
  try {
    napi.registerDynamicLanguage(Object.fromEntries(found));
    return found;
  } catch (error) {
    process.stderr.write(`ast-engine: languages were not registered: ${String(error)}
`);
    return /* @__PURE__ */ new Map();
  }
}
function languagePackage(near, language) {
  try {
    const loaded = near(`@ast-grep/lang-${language}`);
    const { libraryPath, extensions, languageSymbol, metaVarChar, expandoChar } = loaded.default ?? loaded;
    return {
      libraryPath,
      extensions,
      ...languageSymbol !== void 0 && { languageSymbol },
      ...metaVarChar !== void 0 && { metaVarChar },
      ...expandoChar !== void 0 && { expandoChar }
    };
  } catch {
    return void 0;
  }
}
function versionOf(near) {
  try {
    return near("./package.json").version;
  } catch {
    return "";
  }
}

// src/ast/template.ts
var VARIABLE = /\$\$?\$?([A-Z_][A-Z0-9_]*)/g;
var WHOLE_VARIABLE = /\$\$?\$?([A-Z_][A-Z0-9_]*)(?![A-Za-z0-9_])/g;
var NAMELESS = /(?<!\$)\$\$\$(?![$\w])/;
function variablesOf(pattern) {
  return new Set([...pattern.matchAll(WHOLE_VARIABLE)].map((found) => found[1]).filter((name) => !name.startsWith("_")));
}
function readTemplate(replacement, bound) {
  const pieces = [];
  const unbound = /* @__PURE__ */ new Set();
  let from = 0;
  for (const found of replacement.matchAll(VARIABLE)) {
    const name = found[1];
    const end = found.index + found[0].length;
    if (!bound.has(name)) {
      if (!/^[a-z]/.test(replacement.slice(end))) unbound.add(found[0]);
      continue;
    }
    pieces.push({ text: replacement.slice(from, found.index) }, { name });
    from = end;
  }
  pieces.push({ text: replacement.slice(from) });
  if (NAMELESS.test(replacement)) unbound.add("$$$ without a name");
  if (unbound.size > 0) throw new UnboundError([...unbound], bound);
  return { pieces, deletes: replacement.trim() === "", lastCharacter: replacement.trimEnd().slice(-1) };
}
var UnboundError = class extends Error {
  name = "UnboundError";
  constructor(unbound, bound) {
    const known = bound.size === 0 ? "the pattern captures nothing" : `the pattern captures ${[...bound].map((name) => `$${name}`).join(", ")}`;
    super(`the replacement uses ${unbound.join(", ")}, and ${known}`);
  }
};
function render({ pieces }, landing) {
  let out = "";
  let dropComma = false;
  for (const [index, piece] of pieces.entries()) {
    if ("text" in piece) {
      const text2 = dropComma ? piece.text.replace(/^\s*,\s*/, "") : piece.text;
      dropComma = false;
      out += text2.replace(/\r?\n(?=(\r?\n)?)/g, (_, empty) => landing.lineEnd + (empty === void 0 ? landing.indent : ""));
      continue;
    }
    const text = landing.captured(piece.name);
    if (text === "") {
      const next = pieces[index + 1];
      const closes = next !== void 0 && "text" in next && /^\s*[)\]}]/.test(next.text);
      if (closes && !landing.commaMatters) out = out.replace(/,\s*$/, "");
      dropComma = /[([{,]\s*$/.test(out);
    }
    out += text;
  }
  return out;
}

// src/ast/pattern.ts
var PatternError = class extends Error {
  name = "PatternError";
};
function readPattern(text, language, grammar) {
  const source = text.trim();
  if (source === "") throw new PatternError("the pattern is empty");
  const root = grammar.parse(withSigil(source, grammar.sigil));
  const nodes = rootNodes(root);
  const unclean = hasError(root);
  const suspicious = nodes.length !== 1 || unclean || isMisread(root, language);
  const around = suspicious ? surroundings(source, language, grammar) : void 0;
  if (around === void 0 && nodes.length !== 1) throw severalNodes(nodes, grammar.sigil, language);
  const broken = unclean && around === void 0;
  const matcher = around ?? { rule: { pattern: source } };
  tryOut(matcher, root, grammar);
  return {
    matcher,
    unclean: broken,
    words: broken ? [] : literalWords(source),
    variables: variablesOf(source),
    lastCharacter: source.slice(-1)
  };
}
function withSigil(pattern, sigil) {
  if (sigil === "$") return pattern;
  return pattern.replace(/(\$+)([^$]|$)/gu, (whole, dollars, next) => {
    const variable = /^[A-Z_]/.test(next) || dollars.length === 3;
    return variable ? sigil.repeat(dollars.length) + next : whole;
  });
}
function withoutSigil(text, sigil) {
  if (sigil === "$") return text;
  return text.replace(new RegExp(`(?:${sigil}){1,3}(?=[A-Z_]|$)`, "gu"), (found) => "$".repeat(found.length / sigil.length));
}
function tryOut(matcher, something, { sigil }) {
  try {
    something.find(matcher);
  } catch (error) {
    const said = String(error instanceof Error ? error.message : error).split("|->").at(-1)?.trim() ?? "";
    if (said.startsWith("Multiple AST nodes")) throw new PatternError("the pattern is several pieces of code and has to be one");
    if (said.startsWith("Standalone multi")) throw new PatternError("$$$ alone is every piece of code; write $NAME, or put it into other code");
    throw new PatternError(`the matcher refuses the pattern: ${withoutSigil(said, sigil)}`);
  }
}
function rootNodes(root) {
  return root.children().filter((node) => node.text() !== "");
}
function severalNodes(nodes, sigil, language) {
  if (nodes.length === 0) return new PatternError("the pattern has no code in it");
  const shown = nodes.slice(0, 3).map((node) => `'${shorten(withoutSigil(node.text(), sigil))}'`);
  return new PatternError(
    `the pattern is ${nodes.length} pieces of code (${shown.join(", ")}${nodes.length > 3 ? ", …" : ""}) and has to be one; search for one of them${hasBraces(language) ? ", or for the block around them: { $$$BODY }" : ""}`
  );
}
function shorten(text) {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
function hasError(node) {
  return node.kind() === "ERROR" || node.children().some(hasError);
}
function isMisread(root, language) {
  const kinds = MISREADINGS[language];
  if (kinds === void 0) return false;
  for (let node = root; node !== null; ) {
    if (kinds.includes(String(node.kind()))) return true;
    const children = rootNodes(node);
    node = children.length === 1 ? children[0] ?? null : null;
  }
  return false;
}
function surroundings(source, language, grammar) {
  const wanted = withSigil(source.replace(/;$/, ""), grammar.sigil);
  for (const { before, after, kinds } of SURROUNDINGS[language] ?? []) {
    const inside = placed(source, { before, after, kinds });
    const root = grammar.parse(withSigil(inside, grammar.sigil));
    if (hasError(root)) continue;
    const kind = kindOf(root, kinds, wanted);
    if (kind !== void 0) return { rule: { pattern: { context: inside, selector: kind } } };
  }
  return void 0;
}
function kindOf(node, kinds, text) {
  const kind = String(node.kind());
  if (kinds.includes(kind) && node.text().replace(/;$/, "") === text) return kind;
  for (const child of node.children()) {
    const found = kindOf(child, kinds, text);
    if (found !== void 0) return found;
  }
  return void 0;
}
function placed(source, { before, after }) {
  return before + (after.startsWith(";") ? source.replace(/;$/, "") : source) + after;
}
function literalWords(source) {
  const literal = source.replace(/\$+[A-Z_][A-Z0-9_]*/g, " ");
  return [...new Set(literal.match(/[A-Za-z_][A-Za-z0-9_]+/g) ?? [])];
}

// src/ast/scan.ts
var import_promises = require("node:timers/promises");

// src/ast/source-file.ts
var import_node_crypto = require("node:crypto");
var import_node_fs = require("node:fs");

// src/ast/protocol.ts
var MAX_FILE_BYTES = 2 * 1024 * 1024;

// src/ast/source-file.ts
var MARK = "\uFEFF";
function decode(bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.startsWith(MARK) ? { text: text.slice(MARK.length), mark: MARK } : { text, mark: "" };
  } catch {
    return void 0;
  }
}
function digestOf(bytes) {
  return (0, import_node_crypto.createHash)("sha256").update(bytes).digest("hex");
}
function readSource(path) {
  let file;
  try {
    file = (0, import_node_fs.openSync)(path, import_node_fs.constants.O_RDONLY | (import_node_fs.constants.O_NOFOLLOW ?? 0) | (import_node_fs.constants.O_NONBLOCK ?? 0));
  } catch {
    return "unreadable";
  }
  try {
    const { size, isFile } = statOf(file);
    if (!isFile) return "unreadable";
    if (size > MAX_FILE_BYTES) return "tooBig";
    const bytes = (0, import_node_fs.readFileSync)(file);
    const decoded = decode(bytes);
    return decoded === void 0 ? "notText" : { bytes, text: decoded.text };
  } catch {
    return "unreadable";
  } finally {
    (0, import_node_fs.closeSync)(file);
  }
}
function statOf(file) {
  const found = (0, import_node_fs.fstatSync)(file);
  return { size: found.size, isFile: found.isFile() };
}

// src/ast/tree-cache.ts
var MAX_CHARACTERS = 4e6;
var TreeCache = class {
  constructor(limit = MAX_CHARACTERS) {
    this.limit = limit;
  }
  limit;
  /** The one used least recently comes first. */
  #kept = /* @__PURE__ */ new Map();
  #characters = 0;
  get size() {
    return this.#kept.size;
  }
  /** The tree of the file with this text. */
  tree(file, text, grammar) {
    const known = this.#kept.get(file);
    if (known !== void 0) this.#drop(file, known);
    const root = known?.text === text && known.grammar === grammar ? known.root : grammar.parse(text);
    this.#kept.set(file, { text, grammar, root });
    this.#characters += text.length;
    for (const [oldest, kept] of this.#kept) {
      if (this.#characters <= this.limit) break;
      this.#drop(oldest, kept);
    }
    return root;
  }
  #drop(file, { text }) {
    this.#kept.delete(file);
    this.#characters -= text.length;
  }
};

// src/ast/walk.ts
var import_ignore = __toESM(require_ignore(), 1);
var import_node_fs2 = require("node:fs");
var import_node_path2 = require("node:path");
var SKIPPED_FOLDERS = /* @__PURE__ */ new Set(["node_modules", ".git", "dist", "build", "__pycache__", ".venv", "venv"]);
var MAX_RULES_BYTES = 1024 * 1024;
var IGNORES_CASE = process.platform === "win32" || process.platform === "darwin";
function* sourceFiles(start, extensions) {
  if (!(0, import_node_fs2.statSync)(start).isDirectory()) {
    yield start;
    return;
  }
  yield* below(start, extensions, rulesAbove(start));
}
function* below(folder, extensions, above) {
  const entries = list(folder);
  const own = entries.some((entry) => entry.name === ".gitignore" && entry.isFile()) ? readRules(folder, ".gitignore") : void 0;
  const rules = own === void 0 ? above : [...above, own];
  for (const entry of entries) {
    const path = (0, import_node_path2.join)(folder, entry.name);
    if (entry.isDirectory()) {
      if (SKIPPED_FOLDERS.has(entry.name) || isIgnored(path, true, rules)) continue;
      yield* below(path, extensions, rules);
    } else if (entry.isFile() && extensions.includes((0, import_node_path2.extname)(entry.name).toLowerCase()) && !isIgnored(path, false, rules)) {
      yield path;
    }
  }
}
function list(folder) {
  try {
    return (0, import_node_fs2.readdirSync)(folder, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1);
  } catch {
    return [];
  }
}
function rulesAbove(start) {
  const chain = [];
  for (let at = start; ; at = (0, import_node_path2.dirname)(at)) {
    if (at !== start) chain.unshift(at);
    if (exists((0, import_node_path2.join)(at, ".git"))) break;
    if ((0, import_node_path2.dirname)(at) === at) return [];
  }
  const root = chain[0] ?? start;
  const exclude = readRules(root, (0, import_node_path2.join)(".git", "info", "exclude"));
  const rules = exclude === void 0 ? [] : [exclude];
  for (const [index, folder] of chain.entries()) {
    const own = readRules(folder, ".gitignore");
    if (own !== void 0) rules.push(own);
    if (isIgnored(chain[index + 1] ?? start, true, rules)) return [];
  }
  return rules;
}
function isIgnored(path, isFolder, rules) {
  for (const { folder, ignore: own } of rules.toReversed()) {
    const name = (0, import_node_path2.relative)(folder, path).split(import_node_path2.sep).join("/");
    const { ignored, unignored } = own.test(isFolder ? `${name}/` : name);
    if (ignored || unignored) return ignored;
  }
  return false;
}
function readRules(folder, name) {
  try {
    const path = (0, import_node_path2.join)(folder, name);
    const found = (0, import_node_fs2.lstatSync)(path);
    if (!found.isFile() || found.size > MAX_RULES_BYTES) return void 0;
    return { folder, ignore: (0, import_ignore.default)({ ignorecase: IGNORES_CASE }).add((0, import_node_fs2.readFileSync)(path, "utf8")) };
  } catch {
    return void 0;
  }
}
function exists(path) {
  return (0, import_node_fs2.lstatSync)(path, { throwIfNoEntry: false }) !== void 0;
}

// src/ast/scan.ts
var MAX_FILES = 1e4;
var MAX_TIME_MS = 3e4;
var BREATH_MS = 50;
var trees = new TreeCache();
async function scanFiles({ path, language }, grammar, pattern, use) {
  const scan = { scanned: 0, matched: 0, tooBig: 0, notText: 0, unreadable: 0 };
  const until = performance.now() + MAX_TIME_MS;
  let breath = performance.now() + BREATH_MS;
  let seen = 0;
  for (const file of sourceFiles(path, EXTENSIONS[language])) {
    if (seen >= MAX_FILES) return { ...scan, stopped: "files" };
    if (performance.now() > until) return { ...scan, stopped: "time" };
    if (performance.now() > breath) {
      await (0, import_promises.setImmediate)();
      breath = performance.now() + BREATH_MS;
    }
    seen++;
    const source = readSource(file);
    if (typeof source === "string") {
      scan[source]++;
      continue;
    }
    scan.scanned++;
    const nodes = matchesIn(file, source.text, grammar, pattern);
    if (nodes.length === 0) continue;
    scan.matched++;
    const stopped = use({ file, ...source, nodes });
    if (stopped !== void 0) return { ...scan, stopped };
  }
  return scan;
}
function matchesIn(file, text, grammar, { matcher, words }) {
  if (!words.every((word) => text.includes(word))) return [];
  const spans = trees.tree(file, text, grammar).findAll(matcher).map((node) => ({ node, at: span(node) }));
  return spans.sort((a, b) => a.at.start - b.at.start || b.at.end - a.at.end).map(({ node }) => node);
}
function span(node) {
  const { start, end } = node.range();
  return { start: start.index, end: end.index };
}
var Lines = class {
  constructor(text) {
    this.text = text;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }
  text;
  #starts = [0];
  get count() {
    return this.#starts.length;
  }
  /** Number of the line, from 0, that has the character at `offset`. */
  at(offset) {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = low + high >> 1;
      if (this.#starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
  start(line) {
    return this.#starts[line] ?? this.text.length;
  }
  /** The text of a line without its end. */
  read(line) {
    const end = line + 1 < this.#starts.length ? this.#starts[line + 1] - 1 : this.text.length;
    const text = this.text.slice(this.start(line), end);
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  }
};

// src/ast/replace.ts
var MAX_EDITS = 2e4;
var MAX_CHARACTERS2 = 16e6;
var TUPLES = ["python", "rust"];
async function planReplacement(request, grammar, pattern) {
  const template = readTemplate(request.replacement, pattern.variables);
  const commaMatters = TUPLES.includes(request.language);
  const files = [];
  let nested = 0;
  let count = 0;
  let characters = 0;
  const scan = await scanFiles(request, grammar, pattern, (found) => {
    const planned = editsOf(found, pattern, template, commaMatters);
    files.push({ file: found.file, digest: digestOf(found.bytes), edits: planned.edits });
    nested += planned.nested;
    count += planned.edits.length;
    characters += planned.edits.reduce((sum, edit) => sum + edit.text.length + edit.before.length, 0);
    return count > MAX_EDITS || characters > MAX_CHARACTERS2 ? "size" : void 0;
  });
  return { kind: "replace", scan, files, nested, unclean: pattern.unclean };
}
function editsOf({ text, nodes }, pattern, template, commaMatters) {
  const lines = new Lines(text);
  const lineEnd = lines.count > 1 && text.charAt(lines.start(1) - 2) === "\r" ? "\r\n" : "\n";
  const edits = [];
  let nested = 0;
  let done = 0;
  for (const node of nodes) {
    const { start, end: nodeEnd } = span(node);
    if (start < done) {
      nested++;
      continue;
    }
    const end = endOfEdit(node, pattern, template);
    const line = lines.at(start);
    const indent = /^[ \t]*/.exec(lines.read(line).slice(0, start - lines.start(line)))?.[0] ?? "";
    const captured = (name) => capturedText(node, name, text);
    edits.push({
      start,
      end,
      text: render(template, { captured, indent, lineEnd, commaMatters }),
      line: line + 1,
      before: text.slice(start, end)
    });
    done = Math.max(nodeEnd, start + 1);
  }
  return { edits, nested };
}
function capturedText(node, name, text) {
  const one = node.getMatch(name);
  const nodes = one === null ? node.getMultipleMatches(name) : [one];
  const [first, last] = [nodes[0], nodes.at(-1)];
  return first === void 0 || last === void 0 ? "" : text.slice(span(first).start, span(last).end);
}
function endOfEdit(node, pattern, template) {
  const { start, end } = span(node);
  const last = lastLeaf(node);
  const mark = last.text();
  const kept = mark === ";" && pattern.lastCharacter !== mark && template.lastCharacter !== mark && !template.deletes;
  const from = span(last).start;
  if (!kept || from <= start || isCaptured(node, from, pattern)) return end;
  return from;
}
function lastLeaf(node) {
  const children = node.children();
  const last = children.at(-1);
  return last === void 0 ? node : lastLeaf(last);
}
function isCaptured(node, offset, { variables }) {
  for (const name of variables) {
    const one = node.getMatch(name);
    for (const found of one === null ? node.getMultipleMatches(name) : [one]) {
      const { start, end } = span(found);
      if (start <= offset && offset < end) return true;
    }
  }
  return false;
}

// src/ast/search.ts
var MAX_LINE = 300;
var LEAD = 60;
var MAX_MATCH_LINES = 30;
async function search(request, grammar, pattern) {
  const matches = [];
  const scan = await scanFiles(request, grammar, pattern, ({ file, text, nodes }) => {
    const lines = new Lines(text);
    for (const node of nodes) {
      if (matches.length >= request.maxResults) return "results";
      matches.push(matchOf(file, lines, span(node), request.context));
    }
    return void 0;
  });
  return { kind: "search", scan, matches, unclean: pattern.unclean };
}
function matchOf(file, lines, { start, end }, context) {
  const first = lines.at(start);
  const last = Math.max(first, lines.at(Math.max(start, end - 1)));
  const shown = [];
  const add = (from, to, hit) => {
    for (let line = Math.max(0, from); line <= Math.min(to, lines.count - 1); line++) {
      const column = hit && line === first ? start - lines.start(line) : 0;
      shown.push({ number: line + 1, text: clip(lines.read(line), column), hit });
    }
  };
  add(first - context, first - 1, false);
  const cutAt = Math.min(last, first + MAX_MATCH_LINES - 1);
  add(first, cutAt, true);
  if (cutAt < last) shown.push({ text: `… ${last - cutAt} more lines of this match`, hit: true });
  add(last + 1, last + context, false);
  return { file, line: first + 1, lines: shown };
}
function clip(text, column) {
  if (text.length <= MAX_LINE) return text;
  const from = column + MAX_LINE <= MAX_LINE + LEAD ? 0 : column - LEAD;
  const part = text.slice(from, from + MAX_LINE);
  return `${from > 0 ? "…" : ""}${part}${from + MAX_LINE < text.length ? "…" : ""} (${text.length} characters)`;
}

// src/ast/engine.ts
var engine;
async function answer(request) {
  let loaded;
  try {
    loaded = await (engine ??= loadEngine());
  } catch (error) {
    return { kind: "unavailable", reason: loaderSays(error) };
  }
  const grammar = loaded.grammar(request.language);
  if (grammar === void 0) return { kind: "unsupported", reason: `@ast-grep/napi ${loaded.version} has no ${request.language}`.replace("  ", " ") };
  try {
    const pattern = readPattern(request.pattern, request.language, grammar);
    return request.kind === "search" ? await search(request, grammar, pattern) : await planReplacement(request, grammar, pattern);
  } catch (error) {
    if (error instanceof PatternError || error instanceof UnboundError) return { kind: "invalid", reason: error.message };
    process.stderr.write(`ast-engine: ${error instanceof Error ? error.stack ?? error.message : String(error)}
`);
    return { kind: "invalid", reason: `the matcher says: ${firstLine(errorText(error))}` };
  }
}
function loaderSays(error) {
  return firstLine(error instanceof Error ? error.message : String(error)).replace(/(?:[A-Za-z]:)?[\\/](?:[^\\/\s'"]+[\\/])+/g, "");
}
function firstLine(text) {
  return text.split("\n", 1)[0]?.trim() ?? "";
}
function watchParent() {
  const code = `
    const { workerData } = require("node:worker_threads");
    setInterval(() => { if (process.ppid !== workerData) process.kill(process.pid, "SIGKILL"); }, 1000);`;
  new import_node_worker_threads.Worker(code, { eval: true, workerData: process.ppid }).unref();
}
process.on("disconnect", () => process.exit());
process.on("message", (request) => {
  void answer(request).then((outcome) => process.send?.(outcome));
});
if (process.send === void 0) {
  process.stderr.write("ast-engine: started by the server, not by hand\n");
  process.exitCode = 1;
} else {
  watchParent();
}
