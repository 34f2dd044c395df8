/**
 * Session ids: what they may look like and which one a call means.
 *
 * A session id becomes a folder name, so it is checked before any path is built from it.
 */

const SESSION_ID = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,255}$/;

/** A session id that cannot be used. The message is fit for the caller's eyes. */
export class SessionIdError extends Error {
  override name = "SessionIdError";
}

/** True for a name that can be a session folder. */
export function isSessionId(name: string): boolean {
  return SESSION_ID.test(name);
}

/**
 * Checks an optional session id. `undefined`, `null` and `""` all mean "not given".
 * @throws {SessionIdError} for anything else that is not a usable id.
 */
export function parseSessionId(value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  return requireSessionId(value);
}

/**
 * Checks a session id that must be there.
 * @throws {SessionIdError} when it is empty, tries to leave its folder, or has other characters.
 */
export function requireSessionId(value: unknown): string {
  if (value === undefined || value === null || value === "") {
    throw new SessionIdError("Session ID cannot be empty");
  }
  if (typeof value !== "string") {
    throw new SessionIdError(`Invalid session ID: must be alphanumeric text, not ${typeof value}`);
  }
  if (value.includes("..") || value.includes("/") || value.includes("\\")) {
    throw new SessionIdError(`Invalid session ID: path traversal not allowed (${value})`);
  }
  if (!SESSION_ID.test(value)) {
    throw new SessionIdError(
      `Invalid session ID: must be alphanumeric with hyphens or underscores, at most 256 characters (${value})`,
    );
  }
  return value;
}

/**
 * The one answer to "which session does this call mean?", for every tool but those of readiness gates: the id given, else
 * `OMC_SESSION_ID`, else none. An empty string given on purpose means none, so that a caller whose
 * environment names a session can still ask for the view over all of them.
 * @throws {SessionIdError} when the id that would be used is not usable.
 */
export function resolveSessionId(
  given: string | null | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  if (given !== undefined && given !== null) return parseSessionId(given);
  return fromEnvironment("OMC_SESSION_ID", environment["OMC_SESSION_ID"]);
}

/**
 * The session whose readiness gate a call means: the id given, else `CLAUDE_SESSION_ID`, else `OMC_SESSION_ID`, else
 * none. Blank ones count as not given.
 * @throws {SessionIdError} when the id that would be used is not usable.
 */
export function resolveGateSessionId(
  given: string | null | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const named = given?.trim();
  if (named) return requireSessionId(named);
  for (const name of ["CLAUDE_SESSION_ID", "OMC_SESSION_ID"]) {
    const found = fromEnvironment(name, environment[name]?.trim());
    if (found !== undefined) return found;
  }
  return undefined;
}

function fromEnvironment(name: string, value: string | undefined): string | undefined {
  try {
    return parseSessionId(value);
  } catch (error) {
    if (!(error instanceof SessionIdError)) throw error;
    throw new SessionIdError(`${name} cannot be used: ${error.message}`);
  }
}
