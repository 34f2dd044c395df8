/** state_list_active and state_get_status: what runs where. */
import type { Workspace } from "../../lib/workspace.js";
import {
  activeScopes,
  isActiveByConvergence,
  isActiveByOwnState,
  isActiveIn,
  isActiveWithoutSession,
  surveyActivity,
} from "./activity.js";
import { GATE_MODE } from "./gate-file.js";
import { LISTED_MODES, type Mode } from "./modes.js";
import { legacySpots, projectRoots, sessionSpot, type Spot, writePath } from "./places.js";
import { redact } from "./redaction.js";
import { type Loaded, mayTouch, surveyState } from "./state-file.js";

/** The list for one session. Its readiness gate may be kept under another one. */
export async function listInSession(ws: Workspace, session: string, gateSession: string | undefined): Promise<string> {
  const keptIn = (mode: Mode) => (mode === GATE_MODE ? (gateSession ?? session) : session);
  const own = await filterAsync(LISTED_MODES, (mode) => isActiveByOwnState(ws, mode, keptIn(mode)));
  const joined = !own.includes("ralph") && (await isActiveByConvergence(ws, "ralph", session));
  const modes: Mode[] = joined ? [...own, "ralph"] : own;
  if (modes.length === 0) return `## Active Modes (session: ${session})\n\nNo modes are currently active in this session.`;
  const line = (mode: Mode) => `- **${mode}**${keptIn(mode) === session ? "" : ` (session: ${keptIn(mode)})`}`;
  return `## Active Modes (session: ${session}, ${modes.length})\n\n${modes.map(line).join("\n")}`;
}

/** The list over all sessions. */
export async function listAll(ws: Workspace): Promise<string> {
  const scopes = await activeScopes(ws);
  if (scopes.size === 0) return "## Active Modes\n\nNo modes are currently active.";
  const lines = [...scopes].map(([mode, where]) => `- **${mode}** (${where.join(", ")})`);
  return `## Active Modes (${scopes.size})\n\n${lines.join("\n")}`;
}

/** One mode in one session. */
export async function statusInSession(ws: Workspace, mode: Mode, session: string): Promise<string> {
  const spots = await Promise.all(projectRoots(ws).map((root) => sessionSpot(root, mode, session)));
  const { path, loaded } = await firstPresent(spots, await writePath(ws, mode, session));
  const exists = loaded.kind !== "absent" && mayTouch(loaded, session);
  const active = await isActiveIn(ws, mode, session);
  return [
    `## Status: ${mode}`,
    `### Session: ${session}\n${bullets(active, path, exists)}`,
    `### State Preview\n${preview(mode, session, exists ? loaded : { kind: "absent" })}`,
  ].join("\n\n");
}

/** One mode over all sessions. */
export async function statusOfMode(ws: Workspace, mode: Mode): Promise<string> {
  const spots = (await Promise.all(projectRoots(ws).map((root) => legacySpots(root, mode)))).flat();
  const { path, loaded } = await firstPresent(spots, await writePath(ws, mode, undefined));
  const [active, sessions] = await Promise.all([isActiveWithoutSession(ws, mode), (await surveyActivity(ws))(mode)]);
  const list =
    sessions.length === 0
      ? "No active sessions for this mode."
      : `### Active Sessions (${sessions.length})\n${sessions.map((session) => `- ${session}`).join("\n")}`;
  return [`## Status: ${mode}`, `### Legacy Path\n${bullets(active, path, loaded.kind !== "absent")}`, list].join("\n\n");
}

/** All listed modes, for one session or over all. The session's readiness gate may be kept under another one. */
export async function statusOfAll(ws: Workspace, session: string | undefined, gateSession: string | undefined): Promise<string> {
  const sessionsOf = session === undefined ? await surveyActivity(ws) : async () => [];
  const entries = await Promise.all(
    LISTED_MODES.map(async (mode) => {
      const keptIn = session !== undefined && mode === GATE_MODE ? (gateSession ?? session) : session;
      return statusEntry(ws, mode, keptIn, await sessionsOf(mode));
    }),
  );
  const scope = session === undefined ? "" : ` (session: ${session})`;
  return `## All Mode Statuses${scope}\n\n${entries.join("\n")}`;
}

async function statusEntry(ws: Workspace, mode: Mode, session: string | undefined, sessions: string[]): Promise<string> {
  const active = session === undefined ? await isActiveWithoutSession(ws, mode) : await isActiveIn(ws, mode, session);
  const [flag, word] = active ? ["ACTIVE", "Active"] : ["INACTIVE", "Inactive"];
  const lines = [`[${flag}] **${mode}**: ${word}`, `   Path: \`${await writePath(ws, mode, session)}\``];
  if (sessions.length > 0) lines.push(`   Active sessions: ${sessions.join(", ")}`);
  return lines.join("\n");
}

function bullets(active: boolean, path: string, exists: boolean): string {
  const word = (yes: boolean) => (yes ? "Yes" : "No");
  return `- **Active:** ${word(active)}\n- **State Path:** ${path}\n- **Exists:** ${word(exists)}`;
}

const PREVIEW_CHARS = 500;

function preview(mode: Mode, session: string, loaded: Loaded): string {
  if (loaded.kind === "absent") return "No state file";
  if (loaded.kind === "unreadable") return "Error reading state file";
  const text = JSON.stringify(redact(mode, loaded.value, session), null, 2);
  const shown = text.length >= PREVIEW_CHARS ? `${text.slice(0, PREVIEW_CHARS)}\n...(truncated)` : text;
  return `\`\`\`json\n${shown}\n\`\`\``;
}

async function firstPresent(spots: Spot[], otherwise: string): Promise<{ path: string; loaded: Loaded }> {
  for (const spot of spots) {
    const loaded = await surveyState(spot.path);
    if (loaded.kind !== "absent") return { path: spot.path, loaded };
  }
  return { path: otherwise, loaded: { kind: "absent" } };
}

async function filterAsync<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(items.map(test));
  return items.filter((_, at) => kept[at]);
}
