/**
 * A gate as its file records it. The file may come from another program or have been tampered with, so each part that
 * is not as it should be counts as absent.
 */
import { isObject, own, type StateObject } from "../state/state-file.js";
import { DIMENSIONS, type Dimension, type Profile, PROFILES } from "./request.js";

export interface Question {
  id: string;
  dimension: Dimension;
  stem: string;
  options: { id: string; text: string }[];
  correctOptionId: string;
  rationale?: string | undefined;
}

export interface Answer {
  questionId: string;
  selectedOptionId: string;
  isCorrect: boolean;
  /** ISO 8601. */
  answeredAt: string;
}

/** The parts of a gate that decide what may happen next. */
export interface Gate {
  /** Started and not yet decided. */
  isOpen: boolean;
  result: string;
  profile: Profile;
  questions: Question[];
  answers: Answer[];
}

export function gateOf(state: StateObject): Gate {
  const result = own(state, "result");
  return {
    isOpen: own(state, "active") === true && result === "pending",
    result: typeof result === "string" ? result : "unknown",
    profile: profileOf(state),
    questions: list(own(state, "questions")).filter(isQuestion),
    answers: list(own(state, "answers")).filter(isAnswer),
  };
}

/** Why a gate that is not open takes nothing; a blocked or paused one is kept as active, and is not to be gone on with. */
export function whyClosed(state: StateObject): string {
  const { result } = gateOf(state);
  const errors = texts(own(state, "validation_errors"));
  const reason = result === "blocked" && errors.length > 0 ? ` (${errors.join("; ")})` : "";
  return `there is no active gate that takes it: the last attempt is ${result}${reason}, and only kept as a record; call merge_readiness_start for a new one`;
}

/** The first question without an answer: of a required dimension if there is one. */
export function nextQuestion({ profile, questions, answers }: Gate): Question | undefined {
  const answered = new Set(answers.map(({ questionId }) => questionId));
  const open = questions.filter(({ id }) => !answered.has(id));
  return open.find(({ dimension }) => profile.required.includes(dimension)) ?? open[0];
}

function profileOf(state: StateObject): Profile {
  const name = own(state, "profile");
  const usual = name === "quick" || name === "deep" ? PROFILES[name] : PROFILES.standard;
  const [threshold, maxRounds] = [own(state, "threshold"), own(state, "max_rounds")];
  const required = list(own(state, "required_dimensions")).filter(isDimension);
  return {
    name: usual.name,
    threshold: typeof threshold === "number" && threshold > 0 && threshold <= 1 ? threshold : usual.threshold,
    maxRounds: typeof maxRounds === "number" && maxRounds >= 1 ? maxRounds : usual.maxRounds,
    required: required.length > 0 ? required : usual.required,
  };
}

function isDimension(value: unknown): value is Dimension {
  return (DIMENSIONS as readonly unknown[]).includes(value);
}

function isQuestion(value: unknown): value is Question {
  const options = list(own(value, "options"));
  const texts = ["id", "stem", "correctOptionId"].every((key) => typeof own(value, key) === "string");
  return texts && isDimension(own(value, "dimension")) && options.length > 0 && options.every(isOption);
}

function isOption(value: unknown): boolean {
  return typeof own(value, "id") === "string" && typeof own(value, "text") === "string";
}

function isAnswer(value: unknown): value is Answer {
  const texts = ["questionId", "selectedOptionId"].every((key) => typeof own(value, key) === "string");
  return texts && typeof own(value, "isCorrect") === "boolean";
}

/** An array, whatever is in it; anything else is an empty one. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Those entries of an array that are texts. */
export function texts(value: unknown): string[] {
  return list(value).filter((each) => typeof each === "string");
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** An object, whatever is in it; anything else is an empty one. */
export function object(value: unknown): StateObject {
  return isObject(value) ? value : {};
}
