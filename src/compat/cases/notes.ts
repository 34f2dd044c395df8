import type { Case } from "../case.js";

const MINUTE = /### \d{4}-\d\d-\d\d \d\d:\d\d\n/;

/** Notepad, project memory and shared memory. */
export const noteCases: readonly Case[] = [
  {
    name: "the notepad",
    steps: [
      { tool: "notepad_read", tokens: ["Notepad does not exist"] },
      { tool: "notepad_stats", tokens: ["## Notepad Statistics", "does not exist yet"] },
      { tool: "notepad_write_priority", args: { content: "first things" }, tokens: ["Successfully wrote to Priority Context (12 chars)"] },
      { tool: "notepad_write_priority", args: { content: "p".repeat(600) }, tokens: ["Successfully wrote to Priority Context (600 chars)", "**Warning:**"] },
      { tool: "notepad_write_working", args: { content: "work 1" }, tokens: ["Successfully added entry to Working Memory (6 chars)"] },
      { tool: "notepad_write_manual", args: { content: "keep" }, tokens: ["Successfully added entry to MANUAL section (4 chars)"] },
      { tool: "notepad_read", args: { section: "working" }, tokens: ["## Working Memory", MINUTE, "work 1"] },
      { tool: "notepad_read", tokens: ["## Notepad", "Path: ", "# Notepad", "## Priority Context", "## MANUAL"] },
      { tool: "notepad_stats", tokens: ["**Total Size:**", "**Priority Context Size:**", "**Working Memory Entries:** 1", "**Oldest Entry:**", "**Path:**"] },
      { tool: "notepad_prune", args: { daysOld: 7 }, tokens: ["## Prune Results", "- Pruned: 0 entries", "- Remaining: 1 entries", "- Threshold: 7 days"] },
    ],
  },
  {
    name: "project memory",
    steps: [
      { tool: "project_memory_read", tokens: ["Project memory does not exist", "Expected path: "] },
      { tool: "project_memory_add_note", args: { category: "build", content: "x" }, tokens: ["Project memory does not exist"] },
      { tool: "project_memory_write", args: { memory: { build: { buildCommand: "make" } } }, tokens: ["Successfully wrote project memory.", "Path: "] },
      { tool: "project_memory_write", args: { memory: { build: { testCommand: "make test" } }, merge: true }, tokens: ["Successfully merged project memory."] },
      { tool: "project_memory_read", args: { section: "build" }, tokens: ["## Project Memory: build", '"buildCommand": "make"', '"testCommand": "make test"'] },
      { tool: "project_memory_add_note", args: { category: "build", content: "use make" }, tokens: ["Successfully added note to project memory.", "- **Category:** build", "- **Content:** use make"] },
      { tool: "project_memory_add_directive", args: { directive: "never force", priority: "high" }, tokens: ["Successfully added directive to project memory.", "- **Directive:** never force", "- **Priority:** high", "- **Context:** (none)"] },
      { tool: "project_memory_read", args: { section: "directives" }, tokens: ["never force", '"priority": "high"'] },
      { tool: "project_memory_read", tokens: ["## Project Memory", "Path: ", '"version": "1.0.0"', '"source": "manual"'] },
    ],
  },
  {
    name: "shared memory",
    steps: [
      { tool: "shared_memory_list", tokens: ["No shared memory namespaces found."] },
      { tool: "shared_memory_write", args: { key: "k1", namespace: "ns", value: { a: 1 } }, tokens: ["Successfully wrote to shared memory.", "- **Namespace:** ns", "- **Key:** k1", "- **Updated:** "] },
      { tool: "shared_memory_write", args: { key: "k2", namespace: "ns", value: "v", ttl: 60 }, tokens: ["- **TTL:** 60s", "- **Expires:** "] },
      { tool: "shared_memory_read", args: { key: "k1", namespace: "ns" }, tokens: ["## Shared Memory Entry", "- **Created:** ", "### Value", "```json", '"a": 1'] },
      { tool: "shared_memory_read", args: { key: "none", namespace: "ns" }, tokens: ['Key "none" not found in namespace "ns" (or has expired).'] },
      { tool: "shared_memory_list", args: { namespace: "ns" }, tokens: ["## Shared Memory: ns", "2 entries:", "- **k1** (updated: ", "[expires: "] },
      { tool: "shared_memory_list", tokens: ["## Shared Memory Namespaces", "- ns"] },
      { tool: "shared_memory_delete", args: { key: "k1", namespace: "ns" }, tokens: ['Deleted key "k1" from namespace "ns".'] },
      { tool: "shared_memory_cleanup", tokens: ["No expired entries found."] },
      { tool: "shared_memory_write", args: { key: "../k", namespace: "ns", value: 1 }, fails: true, tokens: [/invalid key/i] },
    ],
  },
];
