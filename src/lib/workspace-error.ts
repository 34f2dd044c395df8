/**
 * A working directory that cannot or must not be used. The message is fit for the caller's eyes: of the
 * trusted root it has only the name.
 */
export class WorkspaceError extends Error {
  override name = "WorkspaceError";
}

/** The error for a folder (`what`) of which git did not say whose it is. */
export function probeFailed(what: string, why: string): WorkspaceError {
  return new WorkspaceError(`${what}: git probe failed and was not used (${why})`);
}
