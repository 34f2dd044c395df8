/**
 * File URIs. Servers spell them differently (`%40x` or `@x`, `c%3A` or `C:`), so a URI is compared by the path it
 * means, and paths by how the system compares them.
 */
import { normalize } from "node:path";
import { URI } from "vscode-uri";

/** The URI of an absolute path, as editors write it. */
export function uriOf(path: string): string {
  return URI.file(path).toString();
}

/** The absolute path that a file URI means, or undefined for another kind of URI. */
export function pathOfUri(uri: string): string | undefined {
  if (!/^file:/i.test(uri)) return undefined;
  try {
    return normalize(URI.parse(uri).fsPath);
  } catch {
    return undefined;
  }
}

/** Two URIs are the same file when their keys are equal. */
export function uriKey(uri: string): string {
  const path = pathOfUri(uri);
  return path === undefined ? uri : pathKey(path);
}

/** Windows and macOS look files up without regard to case. */
export function pathKey(path: string): string {
  return process.platform === "win32" || process.platform === "darwin" ? path.toLowerCase() : path;
}
