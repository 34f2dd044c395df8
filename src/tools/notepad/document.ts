/**
 * The notepad as a document: `# Notepad`, then three sections under level-2 headings, always in the
 * same order. Parsing keeps every byte, so that {@link renderNotepad} of an unchanged document is the
 * text it came from; an edit touches one section and leaves the others, and any other heading that
 * somebody added, as they are. Inserted lines take the line ending of the file.
 *
 * When a heading occurs twice, entries go to the first one, as the other programs on this file do it,
 * and are read from all of them.
 */
import { decodeContent, encodeContent, type Eol } from "./content.js";
import { linesOf, pruneBody, readableBody, splitEntries, withLf } from "./entries.js";

export const SECTION_NAMES = ["Priority Context", "Working Memory", "MANUAL"] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

interface Section {
  name: string;
  /** The heading's line with its terminator. */
  heading: string;
  body: string;
}

export interface Notepad {
  eol: Eol;
  /** Everything before the first level-2 heading. */
  preamble: string;
  sections: Section[];
}

const TITLE = "# Notepad";
const TITLE_NOTE = "<!-- Kept by the notepad tools. Stamps are UTC. Edit freely between the headings. -->";
const NOTES: Record<SectionName, string> = {
  "Priority Context": "<!-- Shown at the start of every session. Keep it under 500 characters. -->",
  "Working Memory": "<!-- Stamped entries. notepad_prune removes the old ones. -->",
  MANUAL: "<!-- Stamped entries that are never pruned. -->",
};

/** Reads a notepad; any text is one, also an empty one. */
export function parseNotepad(text: string): Notepad {
  const notepad: Notepad = { eol: /^[^\n]*\r\n/.test(text) ? "\r\n" : "\n", preamble: "", sections: [] };
  for (const line of linesOf(text)) {
    const section = notepad.sections.at(-1);
    const isFirst = section === undefined && notepad.preamble === "";
    const plain = isFirst ? line.replace(/^\uFEFF/, "") : line;
    if (plain.startsWith("## ")) notepad.sections.push({ name: plain.slice(3).trim(), heading: line, body: "" });
    else if (section === undefined) notepad.preamble += line;
    else section.body += line;
  }
  return notepad;
}

/** The text of the file. */
export function renderNotepad(notepad: Notepad): string {
  return notepad.preamble + notepad.sections.map((section) => section.heading + section.body).join("");
}

/** The whole text, headings and comments included, with the contents as their writers meant them. */
export function readableText(notepad: Notepad): string {
  return decodeContent(withLf(renderNotepad(notepad), notepad.eol));
}

/** What a section says, as its writers meant it; empty when it is not there. */
export function readSection(notepad: Notepad, name: SectionName): string {
  const found = notepad.sections.filter((section) => section.name === name);
  // Priority Context is replaced as a whole, so a second one cannot be part of it.
  const sections = name === "Priority Context" ? found.slice(0, 1) : found;
  return sections
    .map((section) => readableBody(section.body, notepad.eol))
    .filter((body) => body !== "")
    .join("\n");
}

/** The stamps of all entries of a section, in file order. */
export function stampsOf(notepad: Notepad, name: SectionName): string[] {
  return notepad.sections
    .filter((section) => section.name === name)
    .flatMap((section) => splitEntries(section.body).flatMap(({ stamp }) => (stamp === undefined ? [] : [stamp])));
}

/** Replaces all of a section. */
export function replaceSection(notepad: Notepad, name: SectionName, content: string): void {
  const { eol } = notepad;
  setBody(notepad, requireSection(notepad, name), NOTES[name] + eol + encodeContent(content, eol));
}

/** Adds an entry at the end of a section. */
export function appendEntry(notepad: Notepad, name: SectionName, stamp: string, content: string): void {
  const { eol } = notepad;
  const section = requireSection(notepad, name);
  const before = withoutTrailingBlanks(section.body);
  const entry = `### ${stamp}${eol}${encodeContent(content, eol)}`;
  setBody(notepad, section, before === "" ? entry : before + eol + entry);
}

/** Removes the entries of a section that are older than `cutoff`; the document is unchanged when there are none. */
export function pruneSection(notepad: Notepad, name: SectionName, cutoff: Date): { pruned: number; remaining: number } {
  const total = { pruned: 0, remaining: 0 };
  for (const section of notepad.sections.filter((candidate) => candidate.name === name)) {
    const result = pruneBody(section.body, cutoff);
    if (result.pruned > 0) setBody(notepad, section, result.body);
    total.pruned += result.pruned;
    total.remaining += result.remaining;
  }
  return total;
}

/** The first section of this name, after making sure that all three are there. */
function requireSection(notepad: Notepad, name: SectionName): Section {
  completeSections(notepad);
  return notepad.sections.find((section) => section.name === name)!;
}

/** Puts in what is missing: the title of an empty file, and each heading before the next one that is there. */
function completeSections(notepad: Notepad): void {
  const { eol, sections } = notepad;
  if (sections.length === 0 && notepad.preamble.replace(/^\uFEFF/, "").trim() === "") {
    notepad.preamble = [TITLE, TITLE_NOTE, "", ""].join(eol);
  }
  for (const [index, name] of SECTION_NAMES.entries()) {
    if (sections.some((section) => section.name === name)) continue;
    const later = new Set<string>(SECTION_NAMES.slice(index + 1));
    const next = sections.findIndex((section) => later.has(section.name));
    const added = { name, heading: `## ${name}${eol}`, body: "" };
    sections.splice(next === -1 ? sections.length : next, 0, added);
    separate(notepad, added);
    setBody(notepad, added, NOTES[name]);
  }
}

/** Sets a body and what must surround it: an ended heading line, an ended last line, a blank before the next heading. */
function setBody(notepad: Notepad, section: Section, body: string): void {
  const { eol, sections } = notepad;
  if (!section.heading.endsWith("\n")) section.heading += eol;
  const text = withoutTrailingBlanks(body);
  const end = section === sections.at(-1) ? "" : eol;
  section.body = text === "" ? end : text + eol + end;
}

/** Makes what stands before a new section end in a blank line. */
function separate(notepad: Notepad, added: Section): void {
  const before = notepad.sections[notepad.sections.indexOf(added) - 1];
  if (before !== undefined) setBody(notepad, before, before.body);
  else if (notepad.preamble !== "") {
    notepad.preamble = withoutTrailingBlanks(notepad.preamble) + notepad.eol + notepad.eol;
  }
}

/** Text without the blanks and line endings at its end. No expression, which would be slow on many blank lines. */
function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
