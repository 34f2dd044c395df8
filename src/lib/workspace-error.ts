/**
 * A working directory that cannot or must not be used. The message is fit for the caller's eyes: of the
 * trusted root it has only the name.
 */
export class WorkspaceError extends Error {
  override name = "WorkspaceError";
}
