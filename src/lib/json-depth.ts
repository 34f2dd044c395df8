/** How deep JSON is nested. What is too deep can be read, and then overflows the stack of everything that walks through it. */

/** Whether a value has lists or objects inside each other on more levels than that. Does not recurse. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let level = [value].filter(isNested);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap((each) => Object.values(each).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
