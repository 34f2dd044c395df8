/** Starting a gate: gathers what speaks for the change and opens the gate, or records why it cannot be opened. */
import { cut } from "../../lib/cut.js";
import type { Workspace } from "../../lib/workspace.js";
import { fail, ok, type ToolResult } from "../types.js";
import { changeGate, readGate } from "../state/gate-file.js";
import { own, type StateObject } from "../state/state-file.js";
import { type Artifacts, gatherArtifacts } from "./artifacts.js";
import { gateOf, list, object, texts } from "./gate-state.js";
import { gatherGitEvidence, type GitEvidence, nothing } from "./git-evidence.js";
import { parseSummary, type StartRequest } from "./request.js";

/** How many earlier attempts are kept with a gate, and how long their JSON may be together, in characters. */
const MAX_PRIOR_ATTEMPTS = 20;
const MAX_PRIOR_LENGTH = 4 * 1024 * 1024;
/** Untracked files named when they are all that there is. */
const MAX_UNTRACKED_SHOWN = 3;

export interface StartArguments {
  summary: string;
  baseRef?: string | undefined;
}

interface Evidence {
  git: GitEvidence;
  artifacts: Artifacts;
}

export async function startGate(
  ws: Workspace,
  session: string | undefined,
  { summary, baseRef }: StartArguments,
  signal: AbortSignal,
): Promise<ToolResult> {
  const request = parseSummary(summary);
  const before = await readGate(ws, session);
  if (before !== undefined && gateOf(before).isOpen) return stillOpen(before);
  const [git, artifacts] = await Promise.all([
    ws.isGit ? gatherGitEvidence(ws.root, baseRef, signal) : nothing("the folder is not in a git repository, so there is no diff"),
    gatherArtifacts(ws, session),
  ]);
  const refusal = request.refusal ?? lackOfEvidence(request, { git, artifacts });
  const fresh = newGate(session, request, { git, artifacts }, refusal);
  return changeGate(ws, session, signal, (now) => {
    if (now !== undefined && gateOf(now).isOpen) return { result: stillOpen(now) };
    const next = now === undefined ? fresh : { ...fresh, prior_attempts: withAttempt(now) };
    return { next, result: refusal === undefined ? started(request, { git, artifacts }) : fail(`Merge-readiness blocked: ${refusal}.`) };
  });
}

function stillOpen(state: StateObject): ToolResult {
  const { questions, answers } = gateOf(state);
  const where = questions.length === 0 ? "it awaits its content" : `${answers.length} of ${questions.length} questions are answered`;
  return fail(
    `Merge-readiness error: an earlier attempt is still in progress (${where}); nothing was changed. Finish it, or end it with ` +
      "merge_readiness_cancel, which keeps its record.",
  );
}

/** Why there is too little to ask questions about; undefined when there is enough. */
function lackOfEvidence({ sourceMode }: StartRequest, { git, artifacts }: Evidence): string | undefined {
  const hasDiff = git.changedFiles.length > 0 || git.diffStat !== "";
  const { testEvidence, reviewEvidence, modeStates } = artifacts;
  const hasArtifacts = testEvidence.length + reviewEvidence.length + modeStates.length > 0;
  const noDiff = git.since === "" ? (git.missing[0] ?? "git was not asked") : `nothing has changed since ${git.since}`;
  const noArtifacts = ".omc has no results of tests or reviews and no state of a run";
  if (sourceMode === "artifacts") return hasArtifacts ? undefined : noArtifacts;
  if (hasDiff || (hasArtifacts && sourceMode !== "diff")) return undefined;
  return [sourceMode === "diff" ? noDiff : `${noDiff}, and ${noArtifacts}`, ...diffHints(git)].join(". ");
}

/** Why there may be no diff although somebody sees changes, one sentence each. */
function diffHints({ since, missing, untrackedFiles: untracked, baseRef }: GitEvidence): string[] {
  if (since === "") return [];
  const hints = missing.map((each) => each.replace(/^the /, "The "));
  if (untracked.length > 0) {
    const names = untracked.slice(0, MAX_UNTRACKED_SHOWN).map(cut).join(", ");
    const more = untracked.length > MAX_UNTRACKED_SHOWN ? ", …" : "";
    hints.push(`Untracked files (${names}${more}) are not counted until git add adds them`);
  }
  if (baseRef === "") hints.push("There is no upstream to compare with: pass baseRef to count the commits since then");
  return hints;
}

function newGate(session: string | undefined, request: StartRequest, evidence: Evidence, refusal: string | undefined): StateObject {
  const { profile, sourceMode, change, slug } = request;
  const now = new Date().toISOString();
  return {
    active: true,
    ...(session !== undefined && { session_id: session }),
    current_phase: "merge-readiness",
    phase: "content",
    profile: profile.name,
    threshold: profile.threshold,
    max_rounds: profile.maxRounds,
    required_dimensions: profile.required,
    rounds: [],
    questions: [],
    answers: [],
    awaiting_content: refusal === undefined,
    evidence: recorded(evidence),
    readiness_score: 0,
    dimension_scores: {},
    result: refusal === undefined ? "pending" : "blocked",
    why: "",
    whatChanged: "",
    tradeoffs: "",
    risksConsidered: "",
    teamUnderstanding: "",
    started_at: now,
    updated_at: now,
    change_summary: change,
    slug,
    ...(sourceMode !== undefined && { source_mode: sourceMode }),
    ...(refusal !== undefined && { validation_errors: [refusal] }),
  };
}

function recorded({ git, artifacts }: Evidence): StateObject {
  const { changedFiles, untrackedFiles, status, diffStat, missing, baseRef } = git;
  const { sourceArtifacts, testEvidence, reviewEvidence } = artifacts;
  const found = { changedFiles, untrackedFiles, status, diffStat, sourceArtifacts, testEvidence, reviewEvidence };
  return { ...found, missingEvidence: missing, base_ref: baseRef };
}

/** The attempts before, the one that ends now included; the oldest go when there are too many. */
function withAttempt(ended: StateObject): StateObject[] {
  const earlier = list(own(ended, "prior_attempts")).map(object);
  const newestFirst = [attemptOf(ended), ...earlier.toReversed()].slice(0, MAX_PRIOR_ATTEMPTS);
  let length = 0;
  const end = newestFirst.findIndex((attempt) => (length += JSON.stringify(attempt).length) > MAX_PRIOR_LENGTH);
  return (end < 0 ? newestFirst : newestFirst.slice(0, end)).toReversed();
}

const KEPT = [
  "profile", "threshold", "max_rounds", "required_dimensions", "change_summary", "slug", "why", "whatChanged", "tradeoffs",
  "risksConsidered", "teamUnderstanding", "started_at", "completed_at", "result", "override_reason", "override_owner",
  "cancel_owner", "readiness_score", "dimension_scores", "questions", "answers", "validation_errors",
];

/** The record of an attempt: all that was asked and answered, and how much spoke for the change. */
function attemptOf(state: StateObject): StateObject {
  const kept = KEPT.filter((key) => Object.hasOwn(state, key)).map((key) => [key, state[key]]);
  const evidence = object(own(state, "evidence"));
  const count = (key: string) => list(own(evidence, key)).length;
  const summary = {
    changedFiles: texts(own(evidence, "changedFiles")),
    missingEvidence: texts(own(evidence, "missingEvidence")),
    sourceArtifactCount: count("sourceArtifacts"),
    testEvidenceCount: count("testEvidence"),
    reviewEvidenceCount: count("reviewEvidence"),
  };
  return { ...Object.fromEntries(kept), evidence_summary: summary };
}

function counted(things: readonly string[], what: string): string {
  return `${things.length} ${what}${things.length === 1 ? "" : "s"}`;
}

function started({ profile }: StartRequest, { git, artifacts }: Evidence): ToolResult {
  const { name, threshold, maxRounds, required } = profile;
  const asked = required.length === maxRounds ? String(maxRounds) : `${required.length} to ${maxRounds}`;
  const lines = [
    `Merge-readiness started (profile: ${name}, threshold: ${threshold}, max rounds: ${maxRounds}).`,
    `Evidence: ${counted(git.changedFiles, "changed file")}, ${counted(artifacts.sourceArtifacts, "artifact")}; merge_readiness_report shows it.`,
    `Next: merge_readiness_set_content with ${asked} questions, at least one for each of ${required.join(", ")}.`,
  ];
  if (git.missing.length > 0) lines.push("Missing evidence:", ...git.missing.map((each) => `- ${each}`));
  return ok(lines.join("\n"));
}
