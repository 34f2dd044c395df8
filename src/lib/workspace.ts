/**
 * Which project a call works on. Every tool that takes `workingDirectory` decides here, by one policy:
 *
 * The server trusts the repository it was started in (or the directory, when there is none). A caller
 * may name any folder of that repository, of another worktree of it, or of its submodules and
 * superprojects, since these share one `.omc`. Other repositories and folders outside are refused,
 * never replaced in silence. When git cannot tell, nothing is done.
 */
import { realpath } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { cut } from "./cut.js";
import { askGit, type Repository } from "./git-probe.js";
import { locateOmc, type OmcLocation, outermost } from "./omc-location.js";
import { isInside } from "./omc-paths.js";
import { probeFailed, WorkspaceError } from "./workspace-error.js";

export { WorkspaceError } from "./workspace-error.js";

/** One project, resolved. All paths absolute and real. See `OmcLocation` for the places of its data. */
export interface Workspace extends OmcLocation {
  /** Root of the worktree that the call means, or the directory itself when there is no repository. */
  root: string;
  isGit: boolean;
  /** What the server was started in. */
  trustedRoot: string;
}

interface Place {
  root: string;
  repository: Repository | undefined;
}

/**
 * Resolves the optional `workingDirectory` of a call. Absent or empty means the trusted root;
 * a relative path counts from the server's working directory. Without git processes once warm.
 * @throws {WorkspaceError} when it is refused or cannot be judged.
 */
export async function resolveWorkspace(workingDirectory?: string): Promise<Workspace> {
  const trusted = await trustedPlace();
  const place = workingDirectory ? await choose(trusted, workingDirectory) : trusted;
  const location = await locateOmc(place.root, place.repository, trusted.root);
  return { ...location, root: place.root, isGit: place.repository !== undefined, trustedRoot: trusted.root };
}

async function trustedPlace(): Promise<Place> {
  let cwd: string;
  try {
    cwd = await realpath(process.cwd());
  } catch {
    throw probeFailed("the server's working directory is gone", "there is nothing to ask git about");
  }
  const answer = await askGit(cwd);
  if (answer.kind === "failed") throw probeFailed(`the server's working directory '${basename(cwd)}'`, answer.why);
  return answer.kind === "none" ? { root: cwd, repository: undefined } : { root: answer.toplevel, repository: answer };
}

async function choose(trusted: Place, given: string): Promise<Place> {
  const failed = (why: string) => probeFailed(`workingDirectory '${cut(given)}'`, why);
  const dir = await realpath(resolve(given)).catch(() => {
    throw failed("there is no such folder");
  });
  if (trusted.repository !== undefined && isInside(dir, trusted.repository.commonDir)) return trusted;
  const answer = await askGit(dir);
  if (answer.kind === "failed") throw failed(answer.why);
  if (answer.kind === "repository") {
    if (!(await isSameProject(trusted.repository, answer))) {
      throw new WorkspaceError(
        `workingDirectory '${cut(given)}' belongs to a different repository than '${basename(trusted.root)}' and was not used`,
      );
    }
    return { root: answer.toplevel, repository: answer };
  }
  if (!isInside(dir, trusted.root)) {
    throw new WorkspaceError(
      `workingDirectory '${cut(given)}' is outside the trusted worktree root '${basename(trusted.root)}' and was not used`,
    );
  }
  // No repository, yet inside one: a bare store or a damaged one. Nobody can say whose it is.
  if (trusted.repository !== undefined) throw failed("it is a bare or damaged repository inside another one");
  return { root: dir, repository: undefined };
}

async function isSameProject(trusted: Repository | undefined, other: Repository): Promise<boolean> {
  if (trusted === undefined) return false;
  if (trusted.commonDir === other.commonDir) return true;
  if (trusted.superproject === undefined && other.superproject === undefined) return false;
  return (await outermost(trusted)) === (await outermost(other));
}
