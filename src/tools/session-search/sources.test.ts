/** The files that are searched, when there are too many of them. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { resolveWorkspace } from "../../lib/workspace.js";
import { enterProject, plant } from "../state/calling.js";
import { makeScope } from "./scope.js";
import { transcript } from "./searching.js";
import { findSources } from "./sources.js";

it.each([[1, 2, true], [2, 3, true], [3, 4, false]])("of three transcripts and a summary, at most %i of a kind make %i, and more are told of: %s", async (most, count, more) => {
  const { root, omc } = await enterProject();
  for (const name of ["a", "b", "c"]) await transcript(root, name, ["{}"]);
  await plant(join(omc, "sessions", "a.json"), "{}");
  const workspace = await resolveWorkspace();
  const { files, isCut } = await findSources(workspace, await makeScope(workspace, undefined, undefined), -Infinity, new AbortController().signal, most);
  expect({ count: files.length, more: isCut }).toEqual({ count, more });
});
