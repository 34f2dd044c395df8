/**
 * `deepinit_manifest`: which folders of a project hold which files, kept in `.omc/deepinit-manifest.json`, so that a later
 * run of deepinit only visits what has changed. The scan, the file and the comparison are in `deepinit/`.
 */
import * as z from "zod";
import { errorText } from "./error-text.js";
import { defineTool, fail, ok } from "./types.js";
import { workingDirectory } from "./working-directory.js";

export const deepinitManifestTool = defineTool({
  name: "deepinit_manifest",
  description:
    "Returns which folders gained or lost files since the last save (diff), saves the files of each, or checks for a save.",
  schema: z.object({
    action: z.enum(["diff", "save", "check"]).describe("diff and check write nothing."),
    workingDirectory,
    mode: z.enum(["incremental", "full"]).optional().describe("diff only. incremental (default): what changed; full: all."),
    dryRun: z.boolean().optional().describe("save only: just show. Default: no."),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async handler({ action, workingDirectory, mode, dryRun = false }, { signal }) {
    if (action !== "diff" && mode === "full") return misplaced("mode", "diff", action);
    if (action !== "save" && dryRun) return misplaced("dryRun", "save", action);
    try {
      const { check, diff, save } = await import("./deepinit/actions.js");
      if (action === "check") return ok(await check(workingDirectory));
      if (action === "diff") return ok(await diff(workingDirectory, mode ?? "incremental", signal));
      return ok(await save(workingDirectory, dryRun, signal));
    } catch (error) {
      return fail(`Error in deepinit_manifest (${action}): ${errorText(error)}`);
    }
  },
});

export const deepinitTools = [deepinitManifestTool];

function misplaced(parameter: string, owner: string, action: string) {
  return fail(`Error: '${parameter}' parameter is for action='${owner}' only, and the action is '${action}'; leave it out`);
}
