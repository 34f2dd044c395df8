/**
 * Diagnostics of the classic TypeScript server, asked for. It pushes them piece by piece — syntax, then types, then
 * suggestions — with nothing to say which piece is the last; its command that hands requests through to tsserver
 * gives complete answers. Changes on the disk it is told in the same way.
 */
import type { Diagnostic } from "vscode-languageserver-protocol";
import type { LanguageServer } from "./language-server.js";
import type { OpenDocument } from "./session.js";
import { requestTimeoutMs } from "./settings.js";
import { uriOf } from "./uris.js";
import { DiagnosticSeverity, DiagnosticTag, ExecuteCommandRequest } from "./protocol.js";

const COMMAND = "typescript.tsserverRequest";
const KINDS = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"];

/** Lines and offsets count from 1. */
interface Place {
  line: number;
  offset: number;
}

interface Span {
  file?: string;
  start: Place;
  end: Place;
}

interface TsDiagnostic {
  start: Place;
  end: Place;
  text: string;
  code?: number;
  category: string;
  reportsUnnecessary?: object;
  reportsDeprecated?: object;
  relatedInformation?: { message: string; span?: Span }[];
}

interface TsAnswer {
  success?: boolean;
  message?: string;
  body?: TsDiagnostic[];
}

/** Whether the server hands requests through. */
export function handsThrough({ capabilities }: LanguageServer): boolean {
  return capabilities.executeCommandProvider?.commands.includes(COMMAND) === true;
}

/**
 * Has tsserver look at all files again. By itself it is told by the system, too late for a call that comes at once, and
 * a file that is back soon after it went it misses for good.
 */
export function reloadProjects(server: LanguageServer): void {
  const params = { command: COMMAND, arguments: ["reloadProjects", null, { expectsResult: false }] };
  // Nothing is answered, which the server in between takes for a mishap.
  server.ask(ExecuteCommandRequest.type, params, requestTimeoutMs()).catch(() => {});
}

/** All diagnostics of the document, or undefined when tsserver would not say. @throws as `LanguageServer.ask` */
export async function askTsserver(server: LanguageServer, document: OpenDocument, until: number, signal?: AbortSignal): Promise<Diagnostic[] | undefined> {
  const found: Diagnostic[] = [];
  for (const kind of KINDS) {
    const params = { command: COMMAND, arguments: [kind, { file: document.uri }] };
    const left = Math.max(1, until - Date.now());
    const answer = (await server.ask(ExecuteCommandRequest.type, params, left, signal)) as TsAnswer | null;
    if (answer?.success === false || !Array.isArray(answer?.body)) return undefined;
    found.push(...answer.body.map((item) => asDiagnostic(item)));
  }
  return found;
}

function asDiagnostic(item: TsDiagnostic): Diagnostic {
  const tags = [
    ...(item.reportsUnnecessary === undefined ? [] : [DiagnosticTag.Unnecessary]),
    ...(item.reportsDeprecated === undefined ? [] : [DiagnosticTag.Deprecated]),
  ];
  const related = (item.relatedInformation ?? []).flatMap(({ message, span }) =>
    span?.file === undefined ? [] : [{ message, location: { uri: uriOf(span.file), range: rangeOf(span) } }],
  );
  return {
    range: rangeOf(item),
    message: item.text,
    severity: SEVERITIES[item.category] ?? DiagnosticSeverity.Hint,
    source: "typescript",
    ...(item.code !== undefined && { code: item.code }),
    ...(tags.length > 0 && { tags }),
    ...(related.length > 0 && { relatedInformation: related }),
  };
}

const SEVERITIES: Readonly<Record<string, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
};

function rangeOf({ start, end }: Span): Diagnostic["range"] {
  return { start: position(start), end: position(end) };
}

function position({ line, offset }: Place): { line: number; character: number } {
  return { line: line - 1, character: offset - 1 };
}
