/**
 * Named autopilot runs. Their state is written by the runtime alone; through these tools it can only be
 * paused, by who knows the exact run, and be shown as a summary that cannot be mistaken for the state.
 */
import { createHash } from "node:crypto";
import { StateError } from "./state-error.js";
import { isObject, own, stateDigest, type StateObject } from "./state-file.js";

const MARKERS = ["workflow", "workflowRunId", "pipelineTracking"];
const STAGE_PLANS = ["ralplan,execution", "ralplan,execution,ralph", "ralplan,execution,qa", "ralplan,execution,ralph,qa"];
const WORKFLOW_KEYS = ["descriptorVersion", "workflowName", "profileVersion", "stages", "profileHash"];
const TRACKING_KEYS = ["stages", "currentStageIndex", "trackingRevision", "activationBoundary", "completionObservations"];
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const SHA256 = /^[0-9a-f]{64}$/i;

/** Whether a state or a payload is that of a named run: by any of the marker keys. */
export function isNamedRun(value: unknown): value is StateObject {
  return isObject(value) && MARKERS.some((key) => Object.hasOwn(value, key));
}

interface Descriptor {
  workflowName: string;
  profileVersion: number;
  profileHash: string;
  stages: string[];
}

/** The descriptor of a structurally valid run of this session, else undefined. */
export function validRun(state: StateObject, session: string | undefined): Descriptor | undefined {
  const workflow = own(state, "workflow");
  const tracking = own(state, "pipelineTracking");
  if (!hasExactKeys(workflow, WORKFLOW_KEYS) || !hasExactKeys(tracking, TRACKING_KEYS)) return undefined;
  const { descriptorVersion, workflowName, profileVersion, stages, profileHash } = workflow;
  if (descriptorVersion !== 1 || profileVersion !== 1 || typeof workflowName !== "string") return undefined;
  if (!Array.isArray(stages) || !STAGE_PLANS.includes(stages.join(","))) return undefined;
  if (profileHash !== profileDigest({ descriptorVersion, workflowName, profileVersion, stages })) return undefined;
  const { stages: tracked, currentStageIndex: index } = tracking;
  if (!Array.isArray(tracked) || !Number.isSafeInteger(index) || (index as number) < 0) return undefined;
  const [run, owner, prompt] = ["workflowRunId", "session_id", "prompt"].map((key) => own(state, key));
  const valid = typeof run === "string" && UUID_V4.test(run) && typeof prompt === "string" && prompt !== "";
  if (!valid || owner !== (session ?? owner)) return undefined;
  return { workflowName, profileVersion, profileHash, stages: stages as string[] };
}

/** What callers see instead of the state of a named run. */
export function describeRun(state: StateObject, session: string | undefined): object {
  const run = validRun(state, session);
  if (run === undefined) {
    const status = "workflow_descriptor_integrity_failed";
    return { name: "invalid", version: 1, shortHash: "invalid", stages: [], currentStage: null, status, progress: "0/0" };
  }
  const index = own(own(state, "pipelineTracking"), "currentStageIndex") as number;
  const done = Math.min(index, run.stages.length);
  return {
    name: run.workflowName,
    workflowRunId: own(state, "workflowRunId"),
    version: run.profileVersion,
    shortHash: run.profileHash.slice(0, 12),
    stages: run.stages,
    currentStage: run.stages[index] ?? null,
    status: own(state, "active") === true ? "active" : done < run.stages.length ? "paused" : "complete",
    progress: `${done}/${run.stages.length}`,
  };
}

/**
 * The paused state, when `request` is exactly a pause of the run that `current` holds.
 * @throws {StateError} for every other request.
 */
export function pauseRun(current: unknown, request: StateObject, session: string | undefined): StateObject {
  const keys = Object.keys(request);
  const allowed = keys.every((key) => ["active", "workflowRunId", "target_state_sha256"].includes(key));
  if (request["active"] !== false || !allowed) {
    throw new StateError("named autopilot state is runtime-owned; it can only be paused, by active=false and its workflowRunId");
  }
  const run = own(request, "workflowRunId");
  if (typeof run !== "string" || !UUID_V4.test(run)) {
    throw new StateError("pausing a named autopilot workflow needs its exact workflowRunId in state");
  }
  const digest = own(request, "target_state_sha256");
  const holds =
    isObject(current) &&
    own(current, "active") === true &&
    own(current, "workflowRunId") === run &&
    session !== undefined &&
    validRun(current, session) !== undefined &&
    (digest === undefined || (typeof digest === "string" && SHA256.test(digest) && digest === stateDigest(current)));
  if (!holds) throw new StateError("the named autopilot run changed, is stale, or failed integrity checks; nothing was paused");
  return { ...current, active: false };
}

function profileDigest(profile: Record<string, unknown>): string {
  const sorted = Object.fromEntries(Object.entries(profile).sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}

function hasExactKeys(value: unknown, keys: string[]): value is StateObject {
  return isObject(value) && Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key));
}
