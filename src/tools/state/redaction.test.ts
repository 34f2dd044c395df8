import { describe, expect, test } from "vitest";
import { redact } from "./redaction.js";

const gate = (result: string) => ({
  active: true,
  result,
  readiness_score: 0.5,
  dimension_scores: { why: 1 },
  questions: [
    { id: "q1", stem: "?", correctOptionId: "a", rationale: "because" },
    { id: "q2", stem: "??", correctOptionId: "b", rationale: "because" },
  ],
  pending_question: { id: "q2", stem: "??", correctOptionId: "b", rationale: "because" },
  answers: [{ questionId: "q1", selectedOptionId: "a", isCorrect: true, answeredAt: "t" }],
  rounds: [{ n: 1, score: 0.3 }],
  prior_attempts: [{ result: "paused", readiness_score: 0.1, questions: [{ id: "p", correctOptionId: "z" }], answers: [{ questionId: "p", selectedOptionId: "z", isCorrect: true, answeredAt: "t" }] }],
});

describe("a readiness gate", () => {
  test.each(["pass", "paused"])("decided as %s is shown whole", (result) => {
    expect(redact("merge-readiness", gate(result), "s1")).toEqual(gate(result));
  });

  test.each(["pending", "blocked", "anything"])("%s hides every answer and score", (result) => {
    const shown = redact("merge-readiness", gate(result), "s1");
    expect(JSON.stringify(shown)).not.toMatch(/correctOptionId|rationale|isCorrect|score/);
    expect(shown).toMatchObject({
      questions: [{ id: "q1" }, { id: "q2" }],
      answers: [{ questionId: "q1", selectedOptionId: "a" }],
      prior_attempts: [{ answers: [{ questionId: "p", answeredAt: "t" }] }],
    });
  });

  test.each(["overridden", "cancelled"])("%s shows the answers of answered questions", (result) => {
    const shown = redact("merge-readiness", gate(result), "s1") as { questions: object[]; pending_question: object };
    expect(shown.questions[0]).toHaveProperty("correctOptionId", "a");
    expect(shown.questions[1]).not.toHaveProperty("correctOptionId");
    expect(shown.pending_question).not.toHaveProperty("rationale");
    expect(shown).not.toHaveProperty("readiness_score");
  });

  test("of a forged shape is shown without a crash", () => {
    const forged = { result: "pending", questions: [1, null, "x"], answers: "none", rounds: [null], pending_question: 4, prior_attempts: [7] };
    expect(redact("merge-readiness", forged, undefined)).toBeDefined();
    expect(redact("merge-readiness", "text", undefined)).toBe("text");
  });
});

test("other modes are shown as they are", () => {
  expect(redact("ralph", { workflow: 1 }, "s1")).toEqual({ workflow: 1 });
  expect(redact("autopilot", { active: true }, "s1")).toEqual({ active: true });
});
