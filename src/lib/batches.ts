/**
 * Doing the same to many files. All at once would hold up everything else in the process, and use as many file
 * handles; one after the other would take too long.
 */

const AT_ONCE = 64;

/** What `work` makes of each item, in their order. */
export async function inBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}
