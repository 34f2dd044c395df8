/**
 * Skills: Markdown files whose head says what they are good for and by which words they are called for. The tools list
 * the heads, never the bodies. Where skills are looked for is in `skills/find.ts`.
 */
import * as z from "zod";
import { defineTool, ok } from "./types.js";

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const projectRoot = z.string().max(500).optional().describe("Default: repository.");

const localTool = defineTool({
  name: "load_omc_skills_local",
  description: "Returns the project's skills: triggers, paths.",
  schema: z.object({ projectRoot }),
  annotations,
  handler: async (args) => ok(await (await import("./skills/listing.js")).projectSkills(args.projectRoot)),
});

const globalTool = defineTool({
  name: "load_omc_skills_global",
  description: "Returns the user's skills: triggers, paths.",
  schema: z.object({}),
  annotations,
  handler: async () => ok(await (await import("./skills/listing.js")).userSkills()),
});

const listTool = defineTool({
  name: "list_omc_skills",
  description: "Returns the project's skills, then the user's.",
  schema: z.object({ projectRoot }),
  annotations,
  handler: async (args) => ok(await (await import("./skills/listing.js")).allSkills(args.projectRoot)),
});

export const skillsTools = [localTool, globalTool, listTool];
