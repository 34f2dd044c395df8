/** What a caller may see of a state. */
import type { Mode } from "./modes.js";
import { describeRun, isNamedRun } from "./named-autopilot.js";
import { isObject, own, type StateObject } from "./state-file.js";

/** The state as it may be shown: whole, but for named autopilot runs and for readiness gates that are still open. */
export function redact(mode: Mode, state: unknown, session: string | undefined): unknown {
  if (mode === "autopilot" && isNamedRun(state)) return describeRun(state, session);
  return mode === "merge-readiness" && isObject(state) ? redactGate(state) : state;
}

/**
 * A gate asks a person questions; whoever reads its state before it is decided must not find the
 * answers there. A gate that was overridden or cancelled shows those of the questions that were answered.
 */
function redactGate(gate: StateObject): StateObject {
  const result = own(gate, "result");
  if (result === "pass" || result === "paused") return gate;
  const shown = withoutAnswers(gate, result);
  if (Array.isArray(shown["prior_attempts"])) shown["prior_attempts"] = shown["prior_attempts"].map(redactAttempt);
  return shown;
}

function withoutAnswers(gate: StateObject, result: unknown): StateObject {
  const decided = result === "overridden" || result === "cancelled";
  const answers = list(own(gate, "answers"));
  const answered = new Set(decided ? answers.map((answer) => own(answer, "questionId")) : []);
  const hide = (question: unknown) =>
    isObject(question) && !answered.has(own(question, "id")) ? omit(question, "correctOptionId", "rationale") : question;
  const shown = omit(gate, "readiness_score", "dimension_scores");
  if (Array.isArray(gate["questions"])) shown["questions"] = gate["questions"].map(hide);
  if (isObject(gate["pending_question"])) shown["pending_question"] = hide(gate["pending_question"]);
  if (Array.isArray(gate["answers"]) && !decided) shown["answers"] = answers.map((answer) => omit(answer, "isCorrect"));
  if (Array.isArray(gate["rounds"])) shown["rounds"] = list(gate["rounds"]).map((round) => omit(round, "score"));
  return shown;
}

/** Of an earlier attempt only which questions were answered, and when. */
function redactAttempt(attempt: unknown): unknown {
  if (!isObject(attempt)) return attempt;
  const shown = withoutAnswers(attempt, undefined);
  const answers = list(own(attempt, "answers"));
  shown["answers"] = answers.map((answer) => ({
    questionId: own(answer, "questionId"),
    answeredAt: own(answer, "answeredAt"),
  }));
  return shown;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function omit(value: unknown, ...keys: string[]): StateObject {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) : {};
}
