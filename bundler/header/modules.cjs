// The modules of the program by number: whether each is an ES module, and what runs it
// or, for those of packages, what returns its exports.
var __omcbuild_modules = {};
var __omcbuild_loaded = {};
var __omcbuild_load = (id) => {
  const known = __omcbuild_loaded[id];
  if (known) {
    if (known.failed) throw known.failed[0];
    return known.exports;
  }
  const [es, run, get] = __omcbuild_modules[id];
  const module = (__omcbuild_loaded[id] = { exports: es ? Object.defineProperty({}, "__esModule", { value: true }) : {} });
  try {
    if (get) module.exports = get();
    else run.call(module.exports, module, module.exports);
  } catch (error) {
    if (es) module.failed = [error];
    else delete __omcbuild_loaded[id];
    throw error;
  }
  return module.exports;
};
// What import * as name means of an ES module.
var __omcbuild_space = (id) => {
  const exports = __omcbuild_load(id);
  const module = __omcbuild_loaded[id];
  if (!module.space) {
    module.space = {};
    for (const name of Object.keys(exports)) Object.defineProperty(module.space, name, { get: () => exports[name], enumerable: true });
  }
  return module.space;
};
var __omcbuild_late = (id, whole) => Promise.resolve().then(() => {
  if (__omcbuild_modules[id][0]) return __omcbuild_space(id);
  const exports = __omcbuild_load(id);
  const copy = exports == null ? {} : Object.create(Object.getPrototypeOf(exports));
  if (whole || !exports || !exports.__esModule) Object.defineProperty(copy, "default", { value: exports, enumerable: true });
  if (typeof exports === "object" && exports || typeof exports === "function")
    for (const name of Object.getOwnPropertyNames(exports))
      if (!Object.hasOwn(copy, name))
        Object.defineProperty(copy, name, { get: () => exports[name], enumerable: Object.getOwnPropertyDescriptor(exports, name).enumerable });
  return copy;
});
// import() in a module that Node itself loads as an ES module, and in others.
var __omcbuild_import_node = (id) => __omcbuild_late(id, true);
var __omcbuild_import = (id) => __omcbuild_late(id, false);
var __omcbuild_packages = (table) => {
  for (const id in table) __omcbuild_modules[id] = [table[id][0], undefined, table[id][1]];
};
