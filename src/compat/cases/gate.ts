import type { Case } from "../case.js";

const session_id = "gate-session";
const DIMENSIONS = ["why", "change", "risk"] as const;

const questions = DIMENSIONS.map((dimension) => ({
  id: `q-${dimension}`,
  dimension,
  stem: `What about ${dimension}?`,
  options: [
    { id: "a", text: "right" },
    { id: "b", text: "wrong" },
  ],
  correctOptionId: "a",
  rationale: "because",
}));

const content = {
  why: "the why",
  whatChanged: "the change",
  tradeoffs: "the tradeoffs",
  risksConsidered: "the risks",
  teamUnderstanding: "the team",
  session_id,
};

const answer = (questionId: string, optionId: string): Record<string, unknown> => ({ questionId, optionId, session_id });

export const gateCases: readonly Case[] = [
  {
    name: "a readiness gate that is passed",
    files: { "src/new.test.ts": "export {};\n", ".omc/artifacts/test-report.md": "all green\n" },
    steps: [
      { tool: "merge_readiness_report", args: { session_id }, fails: true, tokens: [] },
      { tool: "merge_readiness_set_content", args: { ...content, questions }, fails: true, tokens: ["no active gate"] },
      { tool: "merge_readiness_start", args: { summary: "/merge-readiness --quick --from-artifacts ship it", session_id }, tokens: ["Merge-readiness started (profile: quick, threshold: 0.7, max rounds: 3)"] },
      { tool: "merge_readiness_start", args: { summary: "again", session_id }, fails: true, tokens: ["still in progress"] },
      { tool: "state_list_active", args: { session_id }, tokens: ["- **merge-readiness**"] },
      { tool: "merge_readiness_set_content", args: { ...content, why: " ", questions: questions.slice(0, 1) }, fails: true, tokens: ["Merge-readiness content rejected"] },
      { tool: "merge_readiness_set_content", args: { ...content, questions }, tokens: ["Merge-readiness content accepted. Next question: q-why"] },
      { tool: "merge_readiness_record_answer", args: answer("q-risk", "a"), fails: true, tokens: [] },
      { tool: "merge_readiness_record_answer", args: answer("q-why", "a"), tokens: ["Answer recorded. Next question: q-change. Answered: 1/3."] },
      { tool: "merge_readiness_report", args: { session_id }, tokens: ["# Merge Readiness Report", "## Why", "## What Changed", "## Tradeoffs", "## Risks Considered", "## Team Understanding", "## Change Summary", "## Evidence Collected", "## Human Explainability Quiz", "## Pending Question", "## Readiness", "## Merge Boundary"] },
      { tool: "state_read", args: { mode: "merge-readiness", session_id }, tokens: [/^(?!.*correctOptionId)/s, '"result": "pending"'] },
      { tool: "merge_readiness_record_answer", args: answer("q-change", "a"), tokens: ["Answer recorded. Next question: q-risk. Answered: 2/3."] },
      { tool: "merge_readiness_record_answer", args: answer("q-risk", "a"), tokens: ["Merge-readiness pass. Readiness score: 1."] },
      { tool: "merge_readiness_report", args: { session_id }, tokens: ["Result: pass", "_(correct, selected)_", "Correctness rate: 100% / threshold 70%"] },
      { tool: "merge_readiness_cancel", args: { session_id }, fails: true, tokens: [] },
    ],
  },
  {
    name: "a readiness gate that is cancelled or blocked",
    files: { ".omc/artifacts/test-report.md": "all green\n" },
    steps: [
      { tool: "merge_readiness_start", args: { summary: "x --from-diff", session_id: "nothing-changed" }, fails: true, tokens: ["Merge-readiness blocked: "] },
      { tool: "merge_readiness_start", args: { summary: "x --deep --from-artifacts", session_id }, tokens: ["Merge-readiness started (profile: deep, threshold: 0.9, max rounds: 8)"] },
      { tool: "merge_readiness_cancel", args: { session_id }, tokens: ["cancelled"] },
      { tool: "merge_readiness_start", args: { summary: "y --from-artifacts", session_id }, tokens: ["Merge-readiness started (profile: standard, threshold: 0.8, max rounds: 5)"] },
      { tool: "state_clear", args: { mode: "merge-readiness", session_id }, tokens: ["Cancelled merge-readiness gate(s) with durable state audit records: "] },
      { tool: "state_clear", args: { mode: "merge-readiness", session_id }, tokens: ["No active merge-readiness gate found"] },
    ],
  },
];
