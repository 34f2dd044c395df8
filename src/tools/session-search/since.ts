/** The argument `since`: an age such as `30m`, `12h`, `7d` or `2w`, or a date. */
import { cut } from "../../lib/cut.js";

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * The time meant, in milliseconds since 1970; undefined for an empty text.
 * @throws {Error} when it is neither an age nor a date.
 */
export function parseSince(text: string | undefined, now: number): number | undefined {
  const given = text?.trim() ?? "";
  if (given === "") return undefined;
  const age = /^(\d{1,6})\s*([mhdw])$/i.exec(given);
  if (age !== null) return now - Number(age[1]) * (UNITS[(age[2] as string).toLowerCase()] as number);
  // Date.parse takes nearly any number for a date; a year makes sure that one was meant.
  const time = /\d{4}/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new Error(`since '${cut(given)}' is neither an age such as 30m, 12h, 7d or 2w nor a date such as 2026-01-31`);
  }
  return time;
}
