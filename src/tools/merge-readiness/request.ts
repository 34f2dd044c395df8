/** What the summary of a start asks for: its flags choose how strict the gate is and where evidence must come from. */

export const DIMENSIONS = ["why", "change", "tradeoff", "risk", "team"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** How strict a gate is. */
export interface Profile {
  name: "quick" | "standard" | "deep";
  /** Share of right answers, 0 to 1, from which the gate is passed. */
  threshold: number;
  /** Questions at most. */
  maxRounds: number;
  /** Each must have a question. */
  required: readonly Dimension[];
}

export const PROFILES: Record<Profile["name"], Profile> = {
  quick: { name: "quick", threshold: 0.7, maxRounds: 3, required: ["why", "change", "risk"] },
  standard: { name: "standard", threshold: 0.8, maxRounds: 5, required: DIMENSIONS },
  deep: { name: "deep", threshold: 0.9, maxRounds: 8, required: DIMENSIONS },
};

export interface StartRequest {
  profile: Profile;
  /** Where evidence must come from; undefined when either will do. */
  sourceMode: "diff" | "artifacts" | undefined;
  /** The summary without command and flags. */
  change: string;
  /** A short name for the change: lower-case letters, digits and hyphens. */
  slug: string;
  /** Why nothing can be started. */
  refusal: string | undefined;
}

const COMMAND = /^\s*\/(?:[\w-]+:)?merge-readiness(?=\s|$)/;
const FLAGS = ["--quick", "--standard", "--deep", "--from-diff", "--from-artifacts"];
const SLUG_LENGTH = 48;

export function parseSummary(summary: string): StartRequest {
  const words = summary.replace(COMMAND, "").split(/(\s+)/);
  const has = (flag: string) => words.includes(flag);
  const change = words.filter((word) => !FLAGS.includes(word)).join("").trim().replace(/[ \t]{2,}/g, " ");
  const profile = has("--deep") ? "deep" : has("--quick") ? "quick" : "standard";
  const [diff, artifacts] = [has("--from-diff"), has("--from-artifacts")];
  return {
    profile: PROFILES[profile],
    sourceMode: diff === artifacts ? undefined : diff ? "diff" : "artifacts",
    change,
    slug: slugOf(change),
    refusal: refusalOf(words, diff && artifacts),
  };
}

function refusalOf(words: string[], both: boolean): string | undefined {
  if (words.some((word) => /^--from-pr(=|$)/.test(word))) {
    return "--from-pr is not supported; evidence comes from the local repository and .omc";
  }
  return both ? "--from-diff and --from-artifacts exclude each other; leave one out, or both to accept either" : undefined;
}

function slugOf(change: string): string {
  const slug = change.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, SLUG_LENGTH).replace(/-$/, "");
  return slug === "" ? "change" : slug;
}
