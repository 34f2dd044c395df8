// Reads the tools that the sources declare and writes what it saw to stdout: a
// line "omcbuild-source:import FILE" before each import, so that a file which
// never returns is known, and at the end "omcbuild-source:result JSON". The two
// lists `families` and `registries` stand in front of this text; each entry is a
// file and a function that imports it. So does `hiddenPrefix`, with which the names
// of values begin that a family keeps to itself, and `markName`, a global function that
// functions of the sources call when they run.

const seen = { files: [], tools: [], hidden: [], registered: [], registry: "", bare: [], ran: {}, finished: false };
let write = () => {};

const ran = new Map();
Object.defineProperty(globalThis, markName, {
  value: (file, number) => {
    let numbers = ran.get(file);
    if (numbers === undefined) ran.set(file, (numbers = new Set()));
    numbers.add(number);
  },
});

function sayAll() {
  for (const [file, numbers] of ran) seen.ran[file] = [...numbers].sort((a, b) => a - b);
  say("result", JSON.stringify(seen));
}

function say(kind, text) {
  write(`\nomcbuild-source:${kind} ${text}\n`);
}

function messageOf(error) {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, 500);
  } catch {
    return "an error without a message";
  }
}

// Values of the project are looked at with care: a getter may throw.
function attempt(look, otherwise) {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

const isObject = (value) => typeof value === "object" && value !== null;
const schemaMembers = ["schema", "inputSchema", "parameters", "input"];

function schemaOf(tool) {
  for (const member of schemaMembers) {
    const value = attempt(() => tool[member], undefined);
    if (isObject(value) || typeof value === "function") return value;
  }
  return undefined;
}

function isTool(value) {
  if (!isObject(value) || Array.isArray(value)) return false;
  const name = attempt(() => value.name, undefined);
  const runs = ["handler", "execute", "callback"].some((member) => typeof attempt(() => value[member], undefined) === "function");
  return typeof name === "string" && name !== "" && runs && schemaOf(value) !== undefined;
}

// Schemas of zod 3 keep their definition in _def, those of zod 4 in _zod.def.
const definitionOf = (schema) => attempt(() => schema._zod?.def ?? schema._def, undefined);
const isZod = (value) => isObject(value) && definitionOf(value) !== undefined;

// The shape inside whatever is wrapped around an object: refinements, pipes, defaults.
function shapeOf(schema) {
  for (let hops = 0; hops < 16 && isZod(schema); hops++) {
    const definition = definitionOf(schema);
    const shape = attempt(() => schema.shape ?? (typeof definition.shape === "function" ? definition.shape() : definition.shape), undefined);
    if (isObject(shape)) return shape;
    schema = definition.schema ?? definition.innerType ?? definition.in;
  }
  return undefined;
}

// true, false, or null when the schema does not say: one that catches what is wrong
// accepts nothing at all too, and is still listed as required by some converters.
function isRequired(schema) {
  if (definitionOf(schema)?.type === "catch") return null;
  if (isObject(schema?._zod)) return schema._zod.optin === undefined;
  return attempt(() => !schema.isOptional(), attempt(() => !schema.safeParse(undefined).success, null));
}

function parametersOf(schema) {
  let shape = shapeOf(schema);
  if (shape === undefined && isObject(schema) && !isZod(schema)) {
    if (typeof schema.type === "string" || isObject(schema.properties)) return ofJsonSchema(schema);
    const values = Object.values(schema);
    if (schema["~standard"] === undefined && values.every(isZod)) shape = schema;
  }
  if (shape === undefined) return null;
  return Object.keys(shape).map((name) => ({ name, required: isRequired(shape[name]) }));
}

function ofJsonSchema(schema) {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.keys(isObject(schema.properties) ? schema.properties : {}).map((name) => ({ name, required: required.includes(name) }));
}

const known = new Map();

function describe(tool, file, from, many, list = seen.tools) {
  if (known.has(tool)) return;
  const entry = { name: tool.name, file, export: from, many, registered: false, parameters: attempt(() => parametersOf(schemaOf(tool)), null) };
  known.set(tool, entry);
  list.push(entry);
}

// Arrays come first: they are what a registry spreads, and their order is the one
// in which the tools are listed.
function collect(file, module) {
  const values = Object.keys(module).map((name) => [name, attempt(() => module[name], undefined)]);
  const isHidden = ([name]) => name.startsWith(hiddenPrefix);
  const exported = values.filter((entry) => !isHidden(entry));
  for (const [name, value] of exported) {
    if (!Array.isArray(value)) continue;
    for (const element of value.flat(2)) if (isTool(element)) describe(element, file, name, true);
  }
  for (const [name, value] of exported) if (isTool(value)) describe(value, file, name, false);
  for (const [name, value] of values.filter(isHidden)) hide(value, file, name.slice(hiddenPrefix.length));
}

// What nothing uses may be anything: only what a model could read counts as a tool.
function hide(value, file, name) {
  const many = Array.isArray(value);
  for (const element of many ? value.flat(2) : [value]) {
    if (isTool(element) && typeof attempt(() => element.description, undefined) === "string") describe(element, file, name, many, seen.hidden);
  }
}

async function load([file, fetch], use) {
  say("import", file);
  try {
    use(file, await fetch());
    seen.files.push({ file });
  } catch (error) {
    seen.files.push({ file, error: messageOf(error) });
  }
}

function register(file, module) {
  const tools = module.allTools ?? module.default?.allTools;
  if (!Array.isArray(tools)) return void seen.bare.push(file);
  seen.registry = file;
  const names = new Set();
  for (const tool of tools) {
    if (!isObject(tool) || typeof tool.name !== "string") continue;
    names.add(tool.name);
    seen.registered.push({ name: tool.name, parameters: attempt(() => parametersOf(schemaOf(tool)), null) });
    const entry = known.get(tool);
    if (entry !== undefined) entry.registered = true;
  }
  for (const entry of seen.tools) entry.registered ||= names.has(entry.name);
}

async function main() {
  const { writeSync } = await import("node:fs");
  write = (text) => {
    let rest = Buffer.from(text);
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(1, rest));
      } catch (error) {
        if (error.code !== "EAGAIN") throw error;
      }
    }
  };
  const exit = process.exit;
  process.on("exit", sayAll);
  for (const family of families) await load(family, collect);
  for (const registry of registries) await load(registry, register);
  seen.finished = true;
  exit.call(process, 0);
}

main();
