/** The report on a gate, as Markdown. What an undecided gate must not give away is taken out before anything is shown. */
import type { Workspace } from "../../lib/workspace.js";
import { readGate } from "../state/gate-file.js";
import { redact } from "../state/redaction.js";
import { isObject, own, type StateObject } from "../state/state-file.js";
import { fail, ok, type ToolResult } from "../types.js";
import { gateOf, list, object, text, texts } from "./gate-state.js";
import { bullets, percent, quoted } from "./markdown.js";

export async function reportGate(ws: Workspace, session: string | undefined): Promise<ToolResult> {
  const state = await readGate(ws, session);
  if (state === undefined) return fail("Merge-readiness error: there is no gate to report on; merge_readiness_start opens one.");
  return ok(renderReport(object(redact("merge-readiness", state, session)), gateOf(state).profile.threshold));
}

/** Renders a state that has been redacted. */
export function renderReport(state: StateObject, threshold: number): string {
  const isOpen = !isDecided(state);
  return [
    "# Merge Readiness Report",
    ...narrative(state),
    section("Change Summary", quoted(text(own(state, "change_summary")), "_None given._")),
    section("Evidence Collected", evidence(object(own(state, "evidence")))),
    section("Human Explainability Quiz", quiz(state)),
    section("Pending Question", pendingQuestion(own(state, "pending_question"))),
    section("Readiness", readiness(state, threshold)),
    ...(isOpen ? [] : priorAttempts(list(own(state, "prior_attempts")))),
    section(
      "Merge Boundary",
      "A gate that is passed says that a person could explain the change. It proves neither who answered nor that the change is " +
        "right: tests, reviews and the decision to merge remain.",
    ),
  ].join("\n\n");
}

/** While a gate waits for answers or was blocked, nothing is shown of assessments, its own or earlier ones. */
function isDecided(state: StateObject): boolean {
  return ["pass", "paused", "overridden", "cancelled"].includes(text(own(state, "result")));
}

function section(title: string, body: string): string {
  return `## ${title}\n\n${body}`;
}

const NARRATIVE: [title: string, field: string][] = [
  ["Why", "why"],
  ["What Changed", "whatChanged"],
  ["Tradeoffs", "tradeoffs"],
  ["Risks Considered", "risksConsidered"],
  ["Team Understanding", "teamUnderstanding"],
];

function narrative(state: StateObject): string[] {
  return NARRATIVE.map(([title, field]) => section(title, quoted(text(own(state, field)), "_Not written yet._")));
}

function evidence(found: StateObject): string {
  const items = (field: string) => bullets(texts(own(found, field)));
  const block = (field: string) => {
    const lines = text(own(found, field));
    return lines === "" ? "_None._" : `\`\`\`\`\n${lines.replaceAll("````", "'''")}\n\`\`\`\``;
  };
  const parts: [string, string][] = [
    ["Changed Files", items("changedFiles")],
    ["Git Status", block("status")],
    ["Diff Stat", block("diffStat")],
    ["Source Artifacts", items("sourceArtifacts")],
    ["Missing Evidence", items("missingEvidence")],
  ];
  return parts.map(([title, body]) => `### ${title}\n\n${body}`).join("\n\n");
}

function quiz(state: StateObject): string {
  const questions = list(own(state, "questions")).filter(isObject);
  if (questions.length === 0) return "_No questions yet._";
  const answers = list(own(state, "answers")).filter(isObject);
  return questions.map((question, at) => `### ${at + 1}. ${questionText(question, answers)}`).join("\n\n");
}

/** One question with its options. The right one is marked only where the state still tells it. */
function questionText(question: StateObject, answers: StateObject[]): string {
  const answer = answers.find((each) => own(each, "questionId") === own(question, "id"));
  const selected = own(answer, "selectedOptionId");
  const correct = own(question, "correctOptionId");
  const options = list(own(question, "options")).filter(isObject).map((option) => {
    const id = own(option, "id");
    const marks = [...(correct !== undefined && id === correct ? ["correct"] : []), ...(selected !== undefined && id === selected ? ["selected"] : [])];
    return `- [${oneLine(id)}] ${oneLine(own(option, "text"))}${marks.length > 0 ? ` _(${marks.join(", ")})_` : ""}`;
  });
  const rationale = text(own(question, "rationale"));
  const isShown = correct !== undefined && answer !== undefined && rationale !== "";
  return [
    `[${oneLine(own(question, "dimension"))}] ${oneLine(own(question, "stem"))}`,
    options.join("\n"),
    ...(answer === undefined ? ["_Not answered yet._"] : []),
    ...(isShown ? [quoted(rationale, "")] : []),
  ].join("\n\n");
}

function pendingQuestion(question: unknown): string {
  if (!isObject(question)) return "_No pending question._";
  const options = list(own(question, "options")).filter(isObject).map((option) => `- [${oneLine(own(option, "id"))}] ${oneLine(own(option, "text"))}`);
  return [`${oneLine(own(question, "id"))}: [${oneLine(own(question, "dimension"))}] ${oneLine(own(question, "stem"))}`, options.join("\n")].join("\n\n");
}

function readiness(state: StateObject, threshold: number): string {
  const score = own(state, "readiness_score");
  const rate = typeof score === "number" ? percent(score) : isDecided(state) ? "not assessed" : "hidden until completion";
  const lines = [`Result: ${oneLine(own(state, "result"))}`, ...owners(state), `Correctness rate: ${rate} / threshold ${percent(threshold)}`];
  const errors = texts(own(state, "validation_errors"));
  if (errors.length > 0) lines.push(`To be put right:\n\n${bullets(errors)}`);
  const dimensions = scores(own(state, "dimension_scores"));
  return [...lines, ...(dimensions === "" ? [] : [dimensions])].join("\n\n");
}

function owners(state: StateObject): string[] {
  const parts: [string, string][] = [
    ["Cancelled by", "cancel_owner"],
    ["Overridden by", "override_owner"],
    ["Reason", "override_reason"],
  ];
  return parts.flatMap(([title, field]) => (text(own(state, field)) === "" ? [] : [`${title}: ${oneLine(own(state, field))}`]));
}

function scores(dimensions: unknown): string {
  const known = Object.entries(object(dimensions)).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  return known.map(([dimension, score]) => `- ${oneLine(dimension)}: ${percent(score)}`).join("\n");
}

function priorAttempts(attempts: unknown[]): string[] {
  const lines = attempts.filter(isObject).map((attempt) => {
    const score = own(attempt, "readiness_score");
    const rate = typeof score === "number" ? `, correctness rate ${percent(score)}` : "";
    const ended = text(own(attempt, "completed_at"));
    const when = ended === "" ? "" : `, ended ${oneLine(ended)}`;
    return `${oneLine(own(attempt, "result"))} (profile ${oneLine(own(attempt, "profile"))}${rate}${when}): ${oneLine(own(attempt, "change_summary"))}`;
  });
  return lines.length === 0 ? [] : [section("Prior Attempts", bullets(lines))];
}

/** A text that cannot begin a new line, and so no heading or item of its own. */
function oneLine(value: unknown): string {
  return text(value).replace(/\s+/g, " ").trim();
}
