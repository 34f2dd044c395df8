/** What the environment says about language servers. Read when it is needed, so that nothing happens at import. */

/** How long one request may take, in milliseconds. */
export function requestTimeoutMs(): number {
  return positive("OMC_LSP_TIMEOUT_MS", 15_000);
}

/** How long a server may be unused before it is ended, in milliseconds. */
export function idleTimeoutMs(): number {
  return positive("OMC_LSP_IDLE_TIMEOUT_MS", 300_000);
}

/** How often unused servers are looked for, in milliseconds. */
export function idleCheckMs(): number {
  return positive("OMC_LSP_IDLE_CHECK_INTERVAL_MS", 60_000);
}

/** An integer prefix above 0, or the default. Bounded by what a timer can hold. */
function positive(name: string, otherwise: number): number {
  const value = Number.parseInt(process.env[name] ?? "", 10);
  return value > 0 ? Math.min(value, 2_147_483_647) : otherwise;
}
