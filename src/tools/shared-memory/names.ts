/**
 * Keys and namespaces are names of files and folders, so they are kept to what every file system takes.
 */

/** What a name is made of. Two dots in a row are refused besides; an expression that says so would be slow on long text. */
export const NAME_PATTERN = /^[a-zA-Z0-9][\w.-]*$/;
export const MAX_NAME = 128;
export const NAME_WORDS = "letters, digits, _, - and single dots, beginning with a letter or digit";

/** Names of devices, which Windows finds in every folder, with any extension. */
const DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

const SUFFIX = ".json";

/** True for a name that reading accepts. */
export function isName(name: string): boolean {
  return name.length <= MAX_NAME && NAME_PATTERN.test(name) && hasSingleDots(name);
}

export function hasSingleDots(name: string): boolean {
  return !name.includes("..");
}

/** Why nothing new should get this name, or undefined. Some systems would take it for something else. */
export function unportable(name: string): string | undefined {
  if (DEVICES.test(name)) return "Windows keeps this name for a device";
  if (name.endsWith(".")) return "Windows drops the dot at the end";
  return undefined;
}

export function fileName(key: string): string {
  return key + SUFFIX;
}

/** The key whose entry a file of this name is, or undefined for locks, temporary files and strangers. */
export function keyOf(file: string): string | undefined {
  if (!file.endsWith(SUFFIX)) return undefined;
  const key = file.slice(0, -SUFFIX.length);
  return isName(key) ? key : undefined;
}
