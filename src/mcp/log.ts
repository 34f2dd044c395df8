/** Diagnostics go to stderr, one line each; stdout belongs to the protocol. */
export function log(text: string): void {
  process.stderr.write(`${text}\n`);
}
