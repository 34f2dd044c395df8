/**
 * What a caller may read of an error. Messages written for callers pass unchanged; those of the operating system are
 * told again without the absolute paths they carry, and those of programming mistakes only by their kind.
 */
import { basename } from "node:path";

/** Errors of the language itself: their messages speak of our code, not of the caller's request. */
const MISTAKES = [TypeError, ReferenceError, SyntaxError, RangeError, EvalError, URIError];

/** One line for the caller: never a stack, and of paths only the last name. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === "string" && error !== "" ? error : "failed without a reason";
  if (isSystemError(error)) return systemErrorText(error);
  if (isMistake(error)) return `internal error (${error.name}); the server's stderr has the details`;
  return error.message === "" ? error.name : error.message;
}

/** True for an error that shows a fault in this program, whose stack belongs into the log. */
export function isMistake(error: unknown): boolean {
  return MISTAKES.some((kind) => error instanceof kind) && !isSystemError(error);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return typeof code === "string" && typeof syscall === "string";
}

/** `EACCES: permission denied, open '/home/me/x/.omc/a.json'` becomes `EACCES: permission denied (open 'a.json')`. */
function systemErrorText(error: NodeJS.ErrnoException): string {
  const said = /^[A-Z0-9_]+: [^,]*/.exec(error.message)?.[0] ?? String(error.code);
  const where = error.path === undefined ? "" : ` '${basename(error.path)}'`;
  return `${said} (${error.syscall}${where})`;
}
