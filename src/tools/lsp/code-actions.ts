/** Asking for code actions, with the problems they are to fix, and for the edits of one of them. */
import type { CodeAction, Range } from "vscode-languageserver-protocol";
import { cut } from "../../lib/cut.js";
import type { ToolContext, ToolResult } from "../types.js";
import { askAbout, type Asked } from "./asking.js";
import { invalidIndexText, isCommand, type Offer, offersText, offerText } from "./code-actions-text.js";
import { AskedError, isRefusal } from "./failure.js";
import { fixWaitMs } from "./limits.js";
import { overlaps } from "./ranges.js";
import { CodeActionRequest, CodeActionResolveRequest, CodeActionTriggerKind } from "../../lsp/protocol.js";

/** A range as callers give it: lines from 1, characters from 0. */
export interface AskedRange {
  file: string;
  startLine: number;
  startCharacter: number;
  endLine: number;
  endCharacter: number;
  /** Kind to which the actions are to belong, such as `refactor.extract`. */
  only?: string | undefined;
}

export function codeActions(range: AskedRange, context: ToolContext): Promise<ToolResult> {
  return askAbout("code actions", range.file, context, async (asked) => {
    const { offers, unknown } = await offersFor(asked, range);
    return `${offersText(offers)}${unknown === undefined ? "" : `\n\nFixes for problems may be missing: ${unknown}`}`;
  });
}

/** Asks the same again, so that the number means what `codeActions` showed. */
export function resolveCodeAction({ actionIndex, ...range }: AskedRange & { actionIndex: number }, context: ToolContext): Promise<ToolResult> {
  return askAbout("code action resolve", range.file, context, async (asked) => {
    const { offers } = await offersFor(asked, range);
    const offer = offers[actionIndex - 1];
    if (offer === undefined) return invalidIndexText(actionIndex, offers.length);
    const { whole, trouble } = await resolved(asked, offer);
    return offerText(whole, (uri) => asked.session.pathOf(uri), trouble);
  });
}

interface Offers {
  offers: Offer[];
  /** Why the problems in the range are not known. */
  unknown?: string;
}

async function offersFor({ session, document, signal }: Asked, asked: AskedRange): Promise<Offers> {
  const range = rangeOf(asked);
  const diagnosis = await session.diagnose(document, fixWaitMs(), signal);
  const diagnostics = diagnosis.state === "found" ? diagnosis.items.filter((item) => overlaps(item.range, range)) : [];
  const params = {
    textDocument: { uri: document.uri },
    range,
    context: { diagnostics, triggerKind: CodeActionTriggerKind.Invoked, ...(asked.only && { only: [asked.only] }) },
  };
  const all = (await session.request(CodeActionRequest.type, params, signal)) ?? [];
  const offers = all.filter((offer) => isCommand(offer) || offer.disabled === undefined);
  return { offers, ...(diagnosis.state === "not-checked" && { unknown: diagnosis.why }) };
}

/** Servers may keep the edits of an action until they are asked for them. */
async function resolved({ session, signal }: Asked, offer: Offer): Promise<{ whole: Offer; trouble?: string }> {
  if (isCommand(offer) || offer.edit !== undefined || !resolves(offer, session.capabilities.codeActionProvider)) return { whole: offer };
  try {
    return { whole: { ...offer, ...(await session.request(CodeActionResolveRequest.type, offer, signal)) } };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { whole: offer, trouble: cut(error.refusal.words) };
  }
}

function resolves(offer: CodeAction, provider: Asked["session"]["capabilities"]["codeActionProvider"]): boolean {
  return offer.data !== undefined || (typeof provider === "object" && provider.resolveProvider === true);
}

function rangeOf({ startLine, startCharacter, endLine, endCharacter }: AskedRange): Range {
  if (endLine < startLine || (endLine === startLine && endCharacter < startCharacter)) {
    throw new AskedError(`The range ends before it starts: line ${endLine}, character ${endCharacter} is before line ${startLine}, character ${startCharacter}`);
  }
  return { start: { line: startLine - 1, character: startCharacter }, end: { line: endLine - 1, character: endCharacter } };
}
