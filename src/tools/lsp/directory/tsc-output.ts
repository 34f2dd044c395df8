/**
 * What `tsc --pretty false` prints, in three forms of lines:
 *
 *     src/a.ts(9,7): error TS2322: Type 'string' is not assignable to type 'number'.
 *     error TS18003: No inputs were found in config file 'tsconfig.json'. …
 *       a line further in goes on with the message before it
 */

export interface Finding {
  /** As printed, relative to the folder that tsc ran in; undefined when the project as a whole is meant. */
  file: string | undefined;
  /** 1-based; 0 without a file. */
  line: number;
  column: number;
  severity: "error" | "warning";
  code: number;
  /** May have several lines. */
  message: string;
}

const IN_FILE = /^(.+?)\((\d+),(\d+)\): (error|warning) TS(\d+): (.*)$/;
const IN_PROJECT = /^(error|warning) TS(\d+): (.*)$/;

/** More findings than these are only counted. */
const MAX_KEPT = 2_000;
/** Lines of one message. */
const MAX_MESSAGE_LINES = 30;
/** Lines that are no findings, kept to explain a run that failed without any. */
const MAX_OTHER = 5;

/** Takes lines one by one. */
export class TscOutput {
  readonly findings: Finding[] = [];
  /** Beginning of what was printed beside findings. */
  readonly other: string[] = [];
  errors = 0;
  warnings = 0;
  #open: Finding | undefined;
  #openLines = 0;

  add(line: string): void {
    const finding = parseFinding(line);
    if (finding !== undefined) this.#start(finding);
    else if (/^\s+\S/.test(line) && this.#open !== undefined) this.#continue(line);
    else if (line.trim() !== "") this.#note(line);
  }

  #start(finding: Finding): void {
    if (finding.severity === "error") this.errors++;
    else this.warnings++;
    if (this.findings.length < MAX_KEPT) this.findings.push(finding);
    this.#open = finding;
    this.#openLines = 1;
  }

  #continue(line: string): void {
    if (this.#open !== undefined && this.#openLines++ < MAX_MESSAGE_LINES) this.#open.message += `\n${line}`;
  }

  #note(line: string): void {
    this.#open = undefined;
    if (this.other.length < MAX_OTHER) this.other.push(line.trim());
  }
}

export function parseFinding(line: string): Finding | undefined {
  const [, file, row, column, grade, code, message] = IN_FILE.exec(line) ?? [];
  if (file !== undefined && message !== undefined) {
    return { file, line: Number(row), column: Number(column), severity: severity(grade), code: Number(code), message };
  }
  const [, general, number, words] = IN_PROJECT.exec(line) ?? [];
  if (words === undefined) return undefined;
  return { file: undefined, line: 0, column: 0, severity: severity(general), code: Number(number), message: words };
}

function severity(word: string | undefined): Finding["severity"] {
  return word === "warning" ? "warning" : "error";
}
