/** The content of a gate: what is said about the change, and the questions that the person will be asked about it. */
import type { Workspace } from "../../lib/workspace.js";
import { changeGate } from "../state/gate-file.js";
import { fail, ok, type ToolResult } from "../types.js";
import { type Gate, gateOf, nextQuestion, type Question, whyClosed } from "./gate-state.js";

export const SECTIONS = ["why", "whatChanged", "tradeoffs", "risksConsidered", "teamUnderstanding"] as const;

export type Content = Record<(typeof SECTIONS)[number], string> & { questions: Question[] };

/** Puts content into the session's open gate. Answers given before are dropped, whether it is accepted or not. */
export async function setContent(ws: Workspace, session: string | undefined, given: Content, signal: AbortSignal): Promise<ToolResult> {
  const content = { ...given, questions: given.questions.map(trimmed) };
  return changeGate(ws, session, signal, (state) => {
    if (state === undefined) return { result: rejected(["there is no active gate; call merge_readiness_start first"]) };
    const gate = gateOf(state);
    if (!gate.isOpen) return { result: rejected([whyClosed(state)]) };
    const problems = problemsOf(content, gate);
    const { pending_question: _, validation_errors: __, ...kept } = state;
    const unanswered = { ...kept, answers: [], readiness_score: 0, dimension_scores: {}, updated_at: new Date().toISOString() };
    if (problems.length > 0) {
      const awaiting = { phase: "content", questions: [], awaiting_content: true, validation_errors: problems };
      return { next: { ...unanswered, ...awaiting }, result: rejected(problems) };
    }
    const first = nextQuestion({ ...gate, questions: content.questions, answers: [] });
    const asking = { phase: "questioning", awaiting_content: false, pending_question: first };
    return { next: { ...unanswered, ...content, ...asking }, result: ok(`Merge-readiness content accepted. Next question: ${first?.id}`) };
  });
}

/** Identifiers are compared without the blanks around them, so they are kept without. */
function trimmed({ id, options, correctOptionId, ...rest }: Question): Question {
  const choices = options.map((option) => ({ ...option, id: option.id.trim() }));
  return { ...rest, id: id.trim(), options: choices, correctOptionId: correctOptionId.trim() };
}

function rejected(problems: string[]): ToolResult {
  return fail(`Merge-readiness content rejected: ${problems.join("; ")}.`);
}

/** Everything that is wrong with the content, so that it can be put right at once. */
function problemsOf(content: Content, { profile }: Gate): string[] {
  const { questions } = content;
  const problems = SECTIONS.filter((name) => content[name].trim() === "").map((name) => `${name} is blank`);
  const { required, maxRounds, name } = profile;
  if (questions.length < required.length || questions.length > maxRounds) {
    const count = required.length === maxRounds ? `exactly ${maxRounds}` : `${required.length} to ${maxRounds}`;
    problems.push(`profile ${name} takes ${count} questions, not ${questions.length}`);
  }
  for (const dimension of required) {
    if (!questions.some((question) => question.dimension === dimension)) problems.push(`no question of dimension ${dimension}`);
  }
  const ids = questions.map(({ id }) => id);
  for (const id of new Set(ids)) if (isTwice(ids, id)) problems.push(`question id '${id}' is used twice`);
  questions.forEach((question, at) => problems.push(...problemsOfQuestion(question, `questions[${at}]`)));
  return problems;
}

function problemsOfQuestion({ id, stem, options, correctOptionId }: Question, name: string): string[] {
  const ids = options.map((option) => option.id);
  const problems: string[] = [];
  if (id === "") problems.push(`${name}.id is blank`);
  if (stem.trim() === "") problems.push(`${name}.stem is blank`);
  if (ids.includes("")) problems.push(`${name} has an option with a blank id`);
  if (options.some(({ text }) => text.trim() === "")) problems.push(`${name} has an option with a blank text`);
  for (const each of new Set(ids)) if (each !== "" && isTwice(ids, each)) problems.push(`${name} has option id '${each}' twice`);
  if (!ids.includes(correctOptionId)) problems.push(`${name}.correctOptionId is none of its options`);
  return problems;
}

function isTwice(ids: string[], id: string): boolean {
  return ids.indexOf(id) !== ids.lastIndexOf(id);
}
