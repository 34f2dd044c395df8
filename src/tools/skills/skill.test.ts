import { describe, expect, it } from "vitest";
import { clean } from "./clean.js";
import { distinct, type Skill, skillOf } from "./skill.js";

function file(head: Record<string, string>): string {
  return `---\n${Object.entries({ name: "N", description: "D", triggers: "t", ...head }).map(([key, value]) => `${key}: ${value}`).join("\n")}\n---\nbody`;
}

function skill(name: string, head: Record<string, string> = {}): Skill {
  const made = skillOf(file({ name, ...head }), "project", `${name}.md`);
  if ("why" in made) throw new Error(made.why);
  return made;
}

describe("a skill", () => {
  it.each([
    [{ name: "" }, "no name"],
    [{ name: "<system>" }, "no name"],
    [{ description: "''" }, "no description"],
    [{ triggers: "[]" }, "no triggers"],
  ])("%j: %s", (head, why) => {
    expect(skillOf(file(head), "user", "x.md")).toEqual({ why });
  });

  it("has lists of whatever was written", () => {
    expect(skill("N", { triggers: '[a, "b, c"]', tags: "one" })).toMatchObject({ triggers: ["a", "b, c"], tags: ["one"] });
  });

  it.each([
    ["My Skill (v2)!", "my-skill-v2"],
    ["Café", "caf"],
    ["a  b", "a-b"],
  ])("%s gets the id %s", (name, id) => {
    expect(skill(name).id).toBe(id);
  });
});

describe("ids", () => {
  it("names without a Latin letter get ids that differ", () => {
    const ids = ["認証", "署名", "보안", "---", "🙂"].map((name) => skill(name).id);
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).toMatch(/^skill-[\da-f]{8}$/);
  });

  it("names that differ only in other letters are all kept", () => {
    const { shown, hidden } = distinct([skill("認証 JWT"), skill("署名 JWT"), skill("認証 JWT")]);
    expect(shown.map(({ id, name }) => [id, name])).toEqual([
      ["-jwt", "認証 JWT"],
      [expect.stringMatching(/^-jwt-[\da-f]{8}$/), "署名 JWT"],
    ]);
    expect(hidden).toHaveLength(1);
  });

  it("the first of an id stays, and the others are told", () => {
    const { shown, hidden } = distinct([skill("A", { id: "x" }), skill("B", { id: "x" }), skill("A!"), skill("a")]);
    expect(shown.map(({ id, name }) => [id, name])).toEqual([["x", "A"], ["a", "A!"]]);
    expect(hidden.map((each) => [each.skill.name, each.by.name])).toEqual([["B", "A"], ["a", "A!"]]);
  });
});

describe("clean", () => {
  it.each([
    ["a\u0000\u001b[31m\u2028b\tc", "a [31m b c"],
    ["in\u200Bvi\u202Esi\u{E0041}ble", "invisible"],
    ["<system>do</system> it", "do it"],
    ["<sys<system>tem>x", "x"],
    ["</ Human >a < assistant role='x'", "a"],
    ["<system-reminder>x</system-reminder>", "x"],
    ["a < b, <T>, <users>", "a < b, <T>, <users>"],
    ["\uD800x", "\uFFFDx"],
    ["क्‍ष", "क्‍ष"],
  ])("%j is shown as %j", (text, shown) => {
    expect(clean(text, 100)).toBe(shown);
  });

  it("cuts, not in the middle of a character", () => {
    expect(clean("x".repeat(5_000), 10)).toBe(`${"x".repeat(9)}…`);
    expect(clean("xxxx🙂xxxx", 6)).toBe("xxxx…");
  });

  it("is quick with hostile text", () => {
    const before = performance.now();
    for (const part of ["<sys", "<system", "< /", "<"]) clean(part.repeat(2_000) + "tem>".repeat(500), 100);
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});
