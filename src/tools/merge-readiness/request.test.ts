import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSummary } from "./request.js";

describe("a summary", () => {
  test.each([
    ["ship it", { profile: "standard", sourceMode: undefined, change: "ship it", slug: "ship-it" }],
    ["/merge-readiness --quick ship it", { profile: "quick", change: "ship it" }],
    ["/oh-my-claudecode:merge-readiness ship --deep it", { profile: "deep", change: "ship it" }],
    ["--quick --deep x", { profile: "deep", change: "x" }],
    ["--standard x", { profile: "standard", change: "x" }],
    ["x --from-diff", { sourceMode: "diff", change: "x" }],
    ["x --from-artifacts", { sourceMode: "artifacts", change: "x" }],
    ["about /merge-readiness and --quickly", { profile: "standard", change: "about /merge-readiness and --quickly" }],
    ["first line\n\nsecond", { change: "first line\n\nsecond", slug: "first-line-second" }],
    ["", { change: "", slug: "change" }],
    ["日本", { change: "日本", slug: "change" }],
  ])("%j", (summary, expected) => {
    const { profile, ...rest } = parseSummary(summary);
    expect({ profile: profile.name, ...rest }).toMatchObject({ refusal: undefined, ...expected });
  });

  test.each(["x --from-pr 7", "--from-pr=7", "--from-diff --from-artifacts x"])("%j cannot be started", (summary) => {
    expect(parseSummary(summary).refusal).toMatch(/--from-/);
  });

  test("always has a slug that can be a file's name", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (summary) => {
        expect(parseSummary(summary).slug).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/);
      }),
    );
  });
});
