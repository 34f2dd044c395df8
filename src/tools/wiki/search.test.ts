/** What a query finds, in which order, and how it is shown. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageOf } from "./catalog.js";
import { firstLine } from "./index-file.js";
import { fold, unfoldedIndex } from "./folding.js";
import { newBody, renderPage } from "./page.js";
import { type Question, search } from "./search.js";
import { termsOf } from "./terms.js";

function page(file: string, title: string, content: string, tags: string[] = [], category = "reference") {
  const time = "2026-11-30T02:16:40.000Z";
  const text = renderPage({
    title, tags, created: time, updated: time, sources: [], links: [], category, confidence: "medium", schemaVersion: 1, extra: [],
    body: newBody(title, content),
  });
  return pageOf(file, text, 0);
}

async function find(pages: ReturnType<typeof page>[], query: string, question: Partial<Question> = {}) {
  const hits = await search(pages, { query, tags: [], category: undefined, limit: 20, ...question }, new AbortController().signal);
  return hits.map(({ found, score, snippet }) => ({ file: found.file, score, snippet }));
}

const files = (hits: { file: string }[]) => hits.map(({ file }) => file);

describe("terms", () => {
  it.each([
    ["Auth-flow v2", ["auth", "flow", "v2"]],
    ["Déjà Vu", ["deja", "vu"]],
    ["認証方式", ["認証", "証方", "方式"]],
    ["인증을", ["인증", "증을"]],
    ["木", ["木"]],
    ["JWTの認証", ["jwt", "の認", "認証"]],
    ["ＪＷＴ ｶﾞｲﾄﾞ", ["jwt", "ガイ", "イド"]],
    ["Привет, мир", ["привет", "мир"]],
    ["!? --", []],
  ])("of %j are %j", (query, terms) => {
    expect(termsOf(query)).toEqual(terms);
  });

  it("of Thai are its words", () => {
    expect(termsOf("ระบบตรวจสอบ").length).toBeGreaterThan(1);
    expect(termsOf("ระบบตรวจสอบ").join("")).toBe(fold("ระบบตรวจสอบ"));
  });

  it("are not endless", () => {
    expect(termsOf(Array.from({ length: 5_000 }, (_, at) => `w${at}`).join(" ")).length).toBe(64);
  });
});

describe("a query", () => {
  const pages = [
    page("a.md", "Token store", "Where the keys are."),
    page("b.md", "Sessions", "A session has a token, kept in the store.", ["auth-token"]),
    page("c.md", "Notes", "nothing of it", ["Auth"], "decision"),
    page("jwt.md", "認証 JWT", "署名の方式を決める。"),
    page("ko.md", "인증 설계", "토큰을 갱신한다."),
    page("zh.md", "登录流程", "用户登录后颁发令牌。"),
    page("fr.md", "Modèle de données", "Le schéma général."),
  ];

  it("scores titles, tags and text", async () => {
    expect(await find(pages, "token store")).toMatchObject([
      { file: "a.md", score: 5 + 2 }, // the heading is text too
      { file: "b.md", score: 2 + 2 },
    ]);
    expect(await find(pages, "auth", { tags: ["auth"] })).toMatchObject([{ file: "c.md", score: 5 }]);
  });

  it("in Japanese, Korean and Chinese finds title and text", async () => {
    expect(files(await find(pages, "認証方式"))).toEqual(["jwt.md"]);
    expect(files(await find(pages, "인증"))).toEqual(["ko.md"]);
    expect(files(await find(pages, "토큰이"))).toEqual(["ko.md"]);
    expect(files(await find(pages, "如何登录"))).toEqual(["zh.md"]);
    expect(await find(pages, "か")).toEqual([]);
  });

  it("minds neither case nor accents", async () => {
    for (const query of ["MODELE", "modèle", "SCHEMA", "Donne\u0301es"]) expect(files(await find(pages, query))).toEqual(["fr.md"]);
    expect(await find([page("ga.md", "が", "x")], "か")).toEqual([]);
  });

  it("with tags or a category finds no other pages", async () => {
    expect(files(await find(pages, "", { tags: ["AUTH"] }))).toEqual(["c.md"]);
    expect(files(await find(pages, "", { tags: ["auth", "auth-token"] }))).toEqual(["b.md", "c.md"]);
    expect(files(await find(pages, "token", { category: "decision" }))).toEqual([]);
    expect(files(await find(pages, "", { category: "decision" }))).toEqual(["c.md"]);
  });

  it("that is empty finds all, up to the limit", async () => {
    expect((await find(pages, "")).length).toBe(pages.length);
    expect(files(await find(pages, " ", { limit: 2 }))).toEqual(["a.md", "b.md"]);
  });

  it("of signs alone looks for them in titles", async () => {
    expect(files(await find([page("c.md", "C++", "x"), page("d.md", "D", "++")], "++"))).toEqual(["c.md"]);
  });
});

describe("the snippet", () => {
  const snippet = async (title: string, content: string, query: string) => (await find([page("x.md", title, content)], query))[0]?.snippet;

  it("shows the surroundings of the first term, on one line", async () => {
    expect(await snippet("T", `${"a ".repeat(50)}\nneedle\n${"b ".repeat(80)}`, "needle")).toMatch(/^\.\.\.(a )+needle (b )+b?\.\.\.$/);
    expect(await snippet("T", "short needle", "needle")).toBe("short needle");
  });

  it("shows the beginning when only the title has the term", async () => {
    expect(await snippet("Needle", "first line\nsecond", "needle")).toBe("first line");
    expect(await snippet("Needle", "y".repeat(200), "needle")).toBe(`${"y".repeat(117)}...`);
    expect(await snippet("Needle", "", "needle")).toBe("# Needle");
  });

  it("leaves out a heading that says the title again", async () => {
    expect(await snippet("T", "# T\nneedle here", "needle")).toBe("needle here");
    expect(await snippet("Needle", "\n# Needle\n\nfirst line", "needle")).toBe("first line");
    expect(await snippet("T", "# Needle\nmore", "needle")).toBe("# Needle more");
  });

  it("cuts no character in two and finds its place behind letters that fold to more", async () => {
    expect(await snippet("T", `${"😀".repeat(60)}needle${"😀".repeat(60)}`, "needle")).toMatch(/^\.\.\.(😀)+needle(😀)+\.\.\.$/u);
    expect(await snippet("T", `${"ß".repeat(100)} needle ${"x".repeat(100)}`, "needle")).toMatch(/ß{30,} needle x+/);
  });

  it("is found where the folded text says", () => {
    const letters = fc.constantFrom("ß", "é", "e\u0301", "が", "か\u3099", "한", "Ａ", "İ", "a", "ﬁ", "😀", "\u0301", " ");
    fc.assert(
      fc.property(fc.string({ unit: letters }), fc.string({ unit: letters }), (before, after) => {
        const text = `${before} needle ${after}`;
        const at = unfoldedIndex(text, fold(text).indexOf("needle"));
        expect(text.slice(at, at + 6)).toBe("needle");
      }),
    );
  });
});

it("a first line is looked for in the beginning of a text only", () => {
  expect(firstLine("T", "\n# T\n\nsoon")).toBe("soon");
  expect(firstLine("T", `${"\n".repeat(100_000)}late`)).toBe("# T");
});
