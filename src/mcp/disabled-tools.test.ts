import { describe, expect, it } from "vitest";
import { disabledBy } from "./disabled-tools.js";

/** Every tool the server will ever have, in listing order. */
const ALL = (
  "lsp_hover lsp_goto_definition lsp_find_references lsp_document_symbols lsp_workspace_symbols lsp_diagnostics " +
  "lsp_diagnostics_directory lsp_servers lsp_prepare_rename lsp_rename lsp_code_actions lsp_code_action_resolve " +
  "ast_grep_search ast_grep_replace python_repl state_read state_write state_clear state_list_active state_get_status " +
  "state_migrate_non_git merge_readiness_start merge_readiness_set_content merge_readiness_record_answer " +
  "merge_readiness_report merge_readiness_cancel notepad_read notepad_write_priority notepad_write_working " +
  "notepad_write_manual notepad_prune notepad_stats project_memory_read project_memory_write project_memory_add_note " +
  "project_memory_add_directive trace_timeline trace_summary session_search shared_memory_write shared_memory_read " +
  "shared_memory_list shared_memory_delete shared_memory_cleanup deepinit_manifest wiki_ingest wiki_query wiki_lint " +
  "wiki_add wiki_list wiki_read wiki_delete load_omc_skills_local load_omc_skills_global list_omc_skills"
).split(" ");

describe("OMC_DISABLE_TOOLS", () => {
  const groups: [value: string | undefined, taken: number][] = [
    [undefined, 0],
    ["", 0],
    ["lsp", 12],
    ["ast", 2],
    ["python", 1],
    ["python-repl", 1],
    ["trace", 3],
    ["state", 11],
    ["notepad", 6],
    ["memory", 4],
    ["project-memory", 4],
    ["skills", 3],
    ["shared-memory", 5],
    ["deepinit", 1],
    ["deepinit-manifest", 1],
    ["wiki", 7],
    ["interop,codex,gemini,antigravity", 0],
    ["state,notepad", 17],
    ["  STATE , Notepad,,", 17],
    ["memory,project-memory", 4],
    ["state_read", 0],
    ["*", 0],
    ["nonsense,wiki", 7],
  ];
  it.each(groups)("%j takes away %i of 55 tools", (value, taken) => {
    const isDisabled = disabledBy(value);
    expect(ALL).toHaveLength(55);
    expect(ALL.filter((name) => isDisabled(name))).toHaveLength(taken);
  });
});
