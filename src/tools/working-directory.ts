/** The argument that most tools have in common. */
import * as z from "zod";

/** Which project is meant. What it may name is told in `lib/workspace.ts`. */
export const workingDirectory = z.string().optional().describe("Project folder. Default: server's.");
