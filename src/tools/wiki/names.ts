/**
 * Names of pages' files. A title becomes the same name as in oh-my-claudecode, so that both find each other's pages:
 * lower case, everything but `a-z0-9` a hyphen, at most 64 characters.
 *
 * Many titles have one such name (`認証 JWT` and `署名 JWT` are both `jwt.md`). A page belongs to the title that is
 * written in it; another title of the same name gets the name with some digits of its own hash behind it.
 */
import { createHash } from "node:crypto";

export const EXTENSION = ".md";
export const INDEX_FILE = "index.md";
export const LOG_FILE = "log.md";
/** Written by a hook of oh-my-claudecode; it can be read as a page. */
export const ENVIRONMENT_FILE = "environment.md";
const RESERVED = [INDEX_FILE, LOG_FILE, ENVIRONMENT_FILE];

const MAX_BASE = 64;
/** Digits of the hash: eight, and sixteen should even those be taken. */
const DIGITS = [8, 16];
/** Names of devices, which Windows finds in every folder, with any extension. */
const DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** The name that a title has by itself. */
export function plainName(title: string): string {
  return (baseOf(title) || `page-${weakHash(title)}`) + EXTENSION;
}

/** Where a page of this title may be, in the order in which the places are looked at. */
export function candidateNames(title: string): string[] {
  const plain = plainName(title);
  const base = plain.slice(0, -EXTENSION.length);
  const hash = createHash("sha256").update(titleKey(title)).digest("hex");
  const own = DIGITS.map((digits) => `${base.slice(0, MAX_BASE - 1 - digits)}-${hash.slice(0, digits)}${EXTENSION}`);
  if (isReserved(plain)) return own;
  return DEVICES.test(base) ? [...own, plain] : [plain, ...own];
}

/** Titles with the same key are the same title: letter case, white space and the composition of accents do not matter. */
export function titleKey(title: string): string {
  return title.normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase();
}

/** Text as a file can hold it: halves of characters are replaced. */
export function storable(text: string): string {
  return text.replace(/\p{Cs}/gu, "\uFFFD");
}

/** A title as it is stored: on one line, composed. Empty when nothing is left. */
export function cleanTitle(title: string): string {
  return storable(title)
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}

export function isReserved(file: string): boolean {
  return RESERVED.includes(file.toLowerCase());
}

/** The file that a caller means by `page`, or undefined when that is not a plain name. */
export function fileOf(page: string): string | undefined {
  const file = page.endsWith(EXTENSION) ? page : page + EXTENSION;
  const isPlain = !/[/\\\p{Cc}]/u.test(file) && !file.includes("..") && !file.startsWith(".") && file.length <= 255;
  return isPlain ? file : undefined;
}

function baseOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, MAX_BASE);
}

/** Eight hexadecimal digits of the 32-bit sum that Java made popular. */
function weakHash(title: string): string {
  let hash = 0;
  for (let at = 0; at < title.length; at++) hash = (Math.imul(hash, 31) + title.charCodeAt(at)) | 0;
  return Math.abs(hash).toString(16).padStart(8, "0");
}
