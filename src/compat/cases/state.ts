import type { Case } from "../case.js";

const session_id = "compat-session";

export const stateCases: readonly Case[] = [
  {
    name: "a state of a session from writing to clearing",
    steps: [
      { tool: "state_read", args: { mode: "ralph", session_id }, tokens: ["No state found for mode: ralph in session: compat-session", "Expected path: "] },
      {
        tool: "state_write",
        args: { mode: "ralph", active: true, iteration: 3, session_id },
        tokens: ["Successfully wrote state for ralph (session: compat-session)", "Path: <project>/.omc/state/sessions/compat-session/ralph-state.json", '"iteration": 3', '"updatedBy": "state_write_tool"'],
      },
      { tool: "state_read", args: { mode: "ralph", session_id }, tokens: ["## State for ralph (session: compat-session)", "Path: ", "```json", '"active": true'] },
      { tool: "state_list_active", args: { session_id }, tokens: ["## Active Modes (session: compat-session, 1)", "- **ralph**"] },
      { tool: "state_list_active", args: { all: true }, tokens: ["## Active Modes (1)", /- \*\*ralph\*\* \((legacy, )?compat-session\)/] },
      { tool: "state_get_status", args: { mode: "ralph", session_id }, tokens: ["## Status: ralph", "### Session: compat-session", "- **Active:** Yes", "- **State Path:** ", "- **Exists:** Yes", "### State Preview"] },
      { tool: "state_get_status", args: { session_id }, tokens: ["## All Mode Statuses (session: compat-session)", "[ACTIVE] **ralph**: Active", "[INACTIVE] **team**: Inactive"] },
      { tool: "state_clear", args: { mode: "ralph", session_id }, tokens: ["Successfully cleared state for mode: ralph in session: compat-session"] },
      { tool: "state_clear", args: { mode: "ralph", session_id }, tokens: ["No state found to clear for mode: ralph in session: compat-session", "- Checked paths:"] },
    ],
  },
  {
    name: "the shared place without a session",
    steps: [
      { tool: "state_list_active", tokens: ["## Active Modes", "No modes are currently active"] },
      { tool: "state_read", args: { mode: "ralplan" }, tokens: ["No state found for mode: ralplan", "Expected legacy path: "] },
      { tool: "state_write", args: { mode: "ralplan", active: true, current_phase: "planning" }, tokens: ["Successfully wrote state for ralplan (legacy path)", "WARNING: No session_id provided"] },
      { tool: "state_read", args: { mode: "ralplan" }, tokens: ["## State for ralplan", "### Legacy Path (shared)", '"current_phase": "planning"'] },
      { tool: "state_clear", args: { mode: "ralplan" }, tokens: ["Cleared state for mode: ralplan", "- Locations cleared: 1", "WARNING: No session_id provided"] },
    ],
  },
  {
    name: "states that are refused",
    steps: [
      { tool: "state_write", args: { mode: "ralph", session_id, state: { a: deep(12) } }, fails: true, tokens: ["payload rejected", "nesting depth"] },
      { tool: "state_write", args: { mode: "ralph", session_id, state: wide(101) }, fails: true, tokens: ["payload rejected", "top-level keys"] },
      { tool: "state_write", args: { mode: "ralph", session_id, state: { text: "x".repeat(1_100_000) } }, fails: true, tokens: ["payload rejected", "exceeds maximum"] },
    ],
  },
];

function deep(levels: number): unknown {
  return levels === 0 ? 1 : { a: deep(levels - 1) };
}

function wide(keys: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, index]));
}
