/** The modes whose state these tools keep, in the orders in which answers list them. */

/** What can be read, cleared and asked about. It covers every file that the hooks honour, so that no loop is beyond reach. */
export const MODES = [
  "autopilot",
  "autoresearch",
  "team",
  "ralph",
  "deep-interview",
  "self-improve",
  "ultrawork",
  "ultraqa",
  "ralplan",
  "omc-teams",
  "skill-active",
  "merge-readiness",
  "ultragoal",
] as const;

export type Mode = (typeof MODES)[number];

/** What state_write accepts. The others are retired or written by their own tools. */
export const WRITABLE_MODES = [
  "autopilot",
  "autoresearch",
  "team",
  "ralph",
  "deep-interview",
  "self-improve",
  "ralplan",
  "omc-teams",
  "skill-active",
] as const satisfies readonly Mode[];

/** Modes that a finished skill can veto; see `activity.ts`. */
export const REGISTRY_MODES = [
  "autopilot",
  "autoresearch",
  "team",
  "ralph",
  "deep-interview",
  "merge-readiness",
  "self-improve",
] as const satisfies readonly Mode[];

export const EXTRA_MODES = ["ralplan", "omc-teams", "skill-active", "ultragoal"] as const satisfies readonly Mode[];

/** Listed as active or not; retired modes are not. */
export const LISTED_MODES: readonly Mode[] = [...REGISTRY_MODES, ...EXTRA_MODES];

export function isRegistryMode(mode: Mode): boolean {
  return (REGISTRY_MODES as readonly Mode[]).includes(mode);
}

/** Modes whose loop may have been started from another root of the same project. */
export function isConverged(mode: Mode): boolean {
  return mode === "ralph" || mode === "ultrawork";
}

/** The one that must not be active in the same session, if there is one. */
export function rivalOf(mode: Mode): Mode | undefined {
  if (mode === "autopilot") return "autoresearch";
  return mode === "autoresearch" ? "autopilot" : undefined;
}

export function stateFileName(mode: Mode): string {
  return `${mode}-state.json`;
}
