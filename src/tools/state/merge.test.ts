/** state_write against a model: whatever the sequence of writes, the file holds what a plain merge would. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { enterProject, readJson, sessionFile, text } from "./calling.js";
import { checkPayload, MAX_DEPTH } from "./limits.js";
import { buildFields, partition } from "./write-state.js";

const key = fc.oneof(
  fc.constantFrom("a", "b", "constructor", "toString", "__proto__", "hasOwnProperty", "length", "", "ä"),
  fc.string({ maxLength: 8 }),
);
const value = fc.jsonValue({ maxDepth: 3 });
const payload = fc.array(fc.tuple(key, value), { maxLength: 6 }).map((entries) => Object.fromEntries(entries));
/** Names that are arguments of their own, or ours. */
const RESERVED = new Set("mode active iteration state workingDirectory session_id _meta project_path __proto__".split(" "));

test("a sequence of writes gives the merge of all", async () => {
  const { omc } = await enterProject();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(payload, { minLength: 1, maxLength: 5 }), async (writes) => {
      const session = `s${run++}`;
      const model = new Map<string, unknown>();
      for (const state of writes) {
        await text("state_write", { mode: "ralplan", state, session_id: session });
        for (const [name, field] of Object.entries(state)) {
          if (field === null) model.delete(name);
          else if (name !== "__proto__" && name !== "_meta") model.set(name, field);
        }
      }
      const { _meta: _, ...written } = await readJson(sessionFile(omc, session, "ralplan-state.json"));
      expect(new Map(Object.entries(written))).toEqual(new Map(Object.entries(JSON.parse(JSON.stringify(Object.fromEntries(model))))));
    }),
    { numRuns: 40 },
  );
});

test("unknown arguments become fields as those of state do", async () => {
  const { omc } = await enterProject();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(payload, async (extras) => {
      const known = Object.fromEntries(Object.entries(extras).filter(([name]) => !RESERVED.has(name) && !/_|error/.test(name)));
      const session = `s${run++}`;
      await text("state_write", { mode: "ralplan", ...known, session_id: session });
      const { _meta: _, ...written } = await readJson(sessionFile(omc, session, "ralplan-state.json"));
      const expected = Object.entries(known).filter(([, field]) => field !== null);
      expect(written).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(expected))));
    }),
    { numRuns: 40 },
  );
});

test("no payload reaches the prototype of other objects", () => {
  const hostile = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as Record<string, unknown>;
  const fields = buildFields({}, hostile, hostile);
  expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect((fields as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("the order of precedence is named, unknown, state; undefined is not given", () => {
  const named = { a: 1, b: undefined };
  expect(buildFields(named, { a: 2, b: 2, c: 2 }, { a: 3, b: 3, c: 3, d: 3, _meta: 3 })).toEqual({ a: 1, b: 2, c: 2, d: 3 });
});

test("partition splits by name and loses nothing", () => {
  fc.assert(
    fc.property(payload, (object) => {
      const [left, right] = partition(object, (name) => name.length % 2 === 0);
      expect(Object.keys(left).length + Object.keys(right).length).toBe(Object.keys(object).length);
      expect(Object.keys(left).every((name) => name.length % 2 === 0)).toBe(true);
    }),
  );
});

test("depth counts objects and lists alike", () => {
  const nest = (depth: number, lists: boolean[]): unknown =>
    depth === 0 ? 1 : lists[depth % lists.length] === true ? [nest(depth - 1, lists)] : { x: nest(depth - 1, lists) };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), (depth, lists) => {
      const check = () => checkPayload({ x: nest(depth - 1, lists) });
      if (depth <= MAX_DEPTH) check();
      else expect(check).toThrow("nesting depth");
    }),
  );
});
