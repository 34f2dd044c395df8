/**
 * What a caller may read of an error. Messages written for callers pass unchanged; those of the operating system are
 * told again without the absolute paths they carry, and those of programming mistakes only by their kind.
 */
import { basename, isAbsolute } from "node:path";

/** Errors of the language itself: their messages speak of our code, not of the caller's request. */
const MISTAKES = [TypeError, ReferenceError, SyntaxError, RangeError, EvalError, URIError];

/** One line for the caller: never a stack, and of paths only the last name. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === "string" && error !== "" ? error : "failed without a reason";
  if (isSystemError(error)) return systemErrorText(error);
  if (isMissingModule(error)) return missingModuleText(error);
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

function isMissingModule(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND";
}

/** Node's message has the path of the program, and of every file on the way to it. */
function missingModuleText(error: Error): string {
  const [, name = ""] = /'([^'\n]*)'/.exec(error.message) ?? [];
  return `a part of the server is missing ('${isAbsolute(name) ? basename(name) : name}'); install the plugin again`;
}

/** Temporary files and lock tickets, which are named after the file that they are made for. */
const MADE_FOR = [/^\.(.+)\.tmp\.[\da-f-]{36,}$/, /^(.+?)\.(?:mutation\.|team-state\.)?lock\.\d+\.[\da-f-]{36,}\.tmp$/];

/** `EACCES: permission denied, open '/Users/me/x/.omc/a.json'` becomes `EACCES: permission denied (open 'a.json')`. */
function systemErrorText(error: NodeJS.ErrnoException): string {
  const said = /^[A-Z0-9_]+: [^,]*/.exec(error.message)?.[0] ?? String(error.code);
  const where = error.path === undefined ? "" : ` '${knownName(basename(error.path))}'`;
  return `${said} (${error.syscall}${where})`;
}

/** The name of a file that the caller may have heard of. */
function knownName(name: string): string {
  return MADE_FOR.reduce((known, pattern) => pattern.exec(known)?.[1] ?? known, name);
}
