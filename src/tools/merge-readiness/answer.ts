/** The person's answers, one at a time, and the decision after the last. */
import type { Workspace } from "../../lib/workspace.js";
import { errorText } from "../error-text.js";
import { type Change, changeGate } from "../state/gate-file.js";
import type { StateObject } from "../state/state-file.js";
import { fail, ok, type ToolResult } from "../types.js";
import { type Answer, type Gate, gateOf, nextQuestion, type Question, whyClosed } from "./gate-state.js";

export interface Selection {
  questionId: string;
  optionId: string;
}

/** Records the answer to the question that is next; the answer does not tell whether it is right. */
export async function recordAnswer(ws: Workspace, session: string | undefined, given: Selection, signal: AbortSignal): Promise<ToolResult> {
  const selection = { questionId: given.questionId.trim(), optionId: given.optionId.trim() };
  try {
    return await changeGate(ws, session, signal, (state) => decide(state, selection));
  } catch (error) {
    return fail(`Merge-readiness error: the answer was NOT recorded: ${errorText(error)}`);
  }
}

function decide(state: StateObject | undefined, { questionId, optionId }: Selection): Change<ToolResult> {
  const gate = state === undefined ? undefined : gateOf(state);
  const question = gate?.isOpen ? nextQuestion(gate) : undefined;
  if (state === undefined || gate === undefined) return { result: rejected("there is no active gate; call merge_readiness_start first") };
  if (!gate.isOpen) return { result: rejected(whyClosed(state)) };
  if (question === undefined) return { result: rejected("there is no active gate with questions; set its content first") };
  if (question.id !== questionId) {
    return { result: rejected(`no active gate asks question '${questionId}' now; the next question is '${question.id}'`) };
  }
  if (!question.options.some(({ id }) => id === optionId)) {
    const ids = question.options.map(({ id }) => `'${id}'`).join(", ");
    return { result: rejected(`no active gate has option '${optionId}' for this question; its options are ${ids}`) };
  }
  return answered(state, gate, question, optionId);
}

function rejected(why: string): ToolResult {
  return fail(`Merge-readiness answer rejected: ${why}.`);
}

function answered(state: StateObject, before: Gate, question: Question, optionId: string): Change<ToolResult> {
  const now = new Date().toISOString();
  const isCorrect = optionId === question.correctOptionId;
  const answer: Answer = { questionId: question.id, selectedOptionId: optionId, isCorrect, answeredAt: now };
  const gate = { ...before, answers: [...before.answers, answer] };
  const { pending_question: _, ...kept } = state;
  const score = share(gate.answers);
  const next = { ...kept, answers: gate.answers, readiness_score: score, dimension_scores: scoresByDimension(gate), updated_at: now };
  const pending = nextQuestion(gate);
  if (pending !== undefined) {
    const progress = `${gate.answers.length}/${gate.questions.length}`;
    return { next: { ...next, pending_question: pending }, result: ok(`Answer recorded. Next question: ${pending.id}. Answered: ${progress}.`) };
  }
  const isPassed = score >= gate.profile.threshold;
  const end = { active: !isPassed, phase: "complete", result: isPassed ? "pass" : "paused", completed_at: now };
  return { next: { ...next, ...end }, result: ok(verdict(end.result, score)) };
}

/** The share of right answers, 0 to 1. */
function share(answers: Answer[]): number {
  return answers.length === 0 ? 0 : answers.filter(({ isCorrect }) => isCorrect).length / answers.length;
}

function scoresByDimension({ questions, answers }: Gate): Record<string, number> {
  const dimensionOf = new Map(questions.map(({ id, dimension }) => [id, dimension]));
  const dimensions = [...new Set(answers.map(({ questionId }) => dimensionOf.get(questionId)))].filter((each) => each !== undefined);
  const of = (dimension: string) => answers.filter(({ questionId }) => dimensionOf.get(questionId) === dimension);
  return Object.fromEntries(dimensions.map((dimension) => [dimension, share(of(dimension))]));
}

function verdict(result: string, score: number): string {
  const advice =
    result === "pass"
      ? "The person can explain the change; whether it is merged is decided elsewhere."
      : "Some of the change is not understood yet: go through merge_readiness_report with the person, then start anew.";
  return `Merge-readiness ${result}. Readiness score: ${Math.round(score * 100) / 100}. ${advice}`;
}
