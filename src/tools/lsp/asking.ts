/** How every tool that asks one language server about one file goes about it, and how it answers when that fails. */
import { extname } from "node:path";
import { cut } from "../../lib/cut.js";
import type { OpenDocument, Session } from "../../lsp/session.js";
import { loadServers, supports, withSession } from "../../lsp/sessions.js";
import { fail, ok, type ToolContext, type ToolResult } from "../types.js";
import { askedFile, askedPlace } from "./asked-path.js";
import { AskedError, failureText } from "./failure.js";

/** A file that the language server has before it. */
export interface Asked {
  session: Session;
  document: OpenDocument;
  signal: AbortSignal;
}

/**
 * Opens the file with its language server and answers with what `ask` makes of it. When the server is still loading the
 * project, the answer says at its end that it may not be the last word.
 * `operation` stands in error texts.
 */
export async function askAbout(operation: string, file: string, { signal }: ToolContext, ask: (asked: Asked) => Promise<string | ToolResult>): Promise<ToolResult> {
  return answered(operation, async () => {
    // A type that no server knows is said before a file that is not there; a link may have a name without one.
    if (extname(file) !== "") await requireServer(file, file);
    const path = await askedFile(file);
    await requireServer(path, file);
    return withSession(path, signal, async (session) => {
      const document = await session.open(path, signal);
      const answer = await ask({ session, document, signal });
      return withLoadingNote(typeof answer === "string" ? ok(answer) : answer, session);
    });
  });
}

/**
 * Asks about the workspace that a file is in, or would be in: it need not be there. One that is there is opened, since
 * some servers know of a workspace only what is open.
 */
export async function askAround(operation: string, file: string, { signal }: ToolContext, ask: (asked: Omit<Asked, "document">) => Promise<string>): Promise<ToolResult> {
  return answered(operation, async () => {
    const { path, exists } = await askedPlace(file);
    await requireServer(path, file);
    return withSession(
      path,
      signal,
      async (session) => {
        if (exists) await session.open(path, signal);
        return withLoadingNote(ok(await ask({ session, signal })), session);
      },
      { mustExist: false },
    );
  });
}

async function answered(operation: string, answer: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await answer();
  } catch (error) {
    return fail(failureText(operation, error));
  }
}

async function requireServer(path: string, file: string): Promise<void> {
  await loadServers();
  if (supports(path)) return;
  throw new AskedError(`No language server available for file type: ${cut(file)}\nlsp_servers lists the file types that have one.`);
}

function withLoadingNote(answer: ToolResult, { loading, name }: Session): ToolResult {
  if (loading === undefined) return answer;
  const [{ text }] = answer.content;
  const note = `Note: ${name} is still loading the project (${cut(loading)}); this answer may be incomplete. Ask again in a few seconds.`;
  return { ...answer, content: [{ type: "text", text: `${text}\n\n${note}` }] };
}
