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

/** More than a gate of ours has. Its file may have been made by anybody, and of any size. In characters, but for items. */
const MAX_TEXT = 25_000;
const MAX_LINE = 5_000;
const MAX_LIST = 120_000;
const MAX_ITEMS = 20;

/** Renders a state that has been redacted. */
export function renderReport(state: StateObject, threshold: number): string {
  const isOpen = !isDecided(state);
  return [
    "# Merge Readiness Report",
    ...narrative(state),
    section("Change Summary", quoted(passage(own(state, "change_summary")), "_None given._")),
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
  return NARRATIVE.map(([title, field]) => section(title, quoted(passage(own(state, field)), "_Not written yet._")));
}

function evidence(found: StateObject): string {
  const items = (field: string) => bullets(upTo(MAX_LIST, texts(own(found, field))));
  const block = (field: string) => {
    const lines = passage(own(found, field));
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
  const questions = objects(own(state, "questions"));
  if (questions.length === 0) return "_No questions yet._";
  const answers = objects(own(state, "answers"));
  return questions.map((question, at) => `### ${at + 1}. ${questionText(question, answers)}`).join("\n\n");
}

/** One question with its options. The right one is marked only where the state still tells it. */
function questionText(question: StateObject, answers: StateObject[]): string {
  const answer = answers.find((each) => own(each, "questionId") === own(question, "id"));
  const selected = own(answer, "selectedOptionId");
  const correct = own(question, "correctOptionId");
  const options = objects(own(question, "options")).map((option) => {
    const id = own(option, "id");
    const marks = [...(correct !== undefined && id === correct ? ["correct"] : []), ...(selected !== undefined && id === selected ? ["selected"] : [])];
    return `- [${oneLine(id)}] ${oneLine(own(option, "text"))}${marks.length > 0 ? ` _(${marks.join(", ")})_` : ""}`;
  });
  const rationale = passage(own(question, "rationale"));
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
  const options = objects(own(question, "options")).map((option) => `- [${oneLine(own(option, "id"))}] ${oneLine(own(option, "text"))}`);
  return [`${oneLine(own(question, "id"))}: [${oneLine(own(question, "dimension"))}] ${oneLine(own(question, "stem"))}`, options.join("\n")].join("\n\n");
}

function readiness(state: StateObject, threshold: number): string {
  const score = own(state, "readiness_score");
  const rate = typeof score === "number" ? percent(score) : isDecided(state) ? "not assessed" : "hidden until completion";
  const lines = [`Result: ${oneLine(own(state, "result"))}`, ...owners(state), `Correctness rate: ${rate} / threshold ${percent(threshold)}`];
  const errors = upTo(MAX_TEXT, texts(own(state, "validation_errors")));
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
  return known.slice(0, MAX_ITEMS).map(([dimension, score]) => `- ${oneLine(dimension)}: ${percent(score)}`).join("\n");
}

function priorAttempts(attempts: unknown[]): string[] {
  const lines = attempts.slice(-MAX_ITEMS).filter(isObject).map((attempt) => {
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
  return shortened(text(value), MAX_LINE).replace(/\s+/g, " ").trim();
}

function passage(value: unknown): string {
  return shortened(text(value), MAX_TEXT);
}

function shortened(given: string, most: number): string {
  return given.length <= most ? given : `${given.slice(0, most)}… (${given.length - most} more characters)`;
}

/** As many of the items as fit, and how many more there are. */
function upTo(most: number, items: readonly string[]): readonly string[] {
  let length = 0;
  const end = items.findIndex((item) => (length += item.length + 3) > most);
  return end < 0 ? items : [...items.slice(0, end), `… ${items.length - end} more`];
}

function objects(value: unknown): StateObject[] {
  return list(value).slice(0, MAX_ITEMS).filter(isObject);
}
