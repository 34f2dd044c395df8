/**
 * What a case of the comparison is: calls put to both servers in the same order, and for each the tokens that callers
 * look for, which both answers must contain.
 */
export interface Step {
  tool: string;
  args?: Record<string, unknown>;
  /** Each must be in both answers. A regular expression may allow what is free, such as times. */
  tokens: readonly (string | RegExp)[];
  /** Whether both must report a failure; default false. */
  fails?: boolean;
  /** The reference may need to be asked again: it answers wrongly while a language server still loads the project. */
  again?: boolean;
  /** Where ours differs on purpose: what then holds of ours, and why (docs/compatibility.md says so too). */
  ours?: { fails?: boolean; tokens?: readonly (string | RegExp)[]; why: string };
}

export interface Case {
  name: string;
  files?: Record<string, string>;
  home?: Record<string, string>;
  env?: Record<string, string>;
  steps: readonly Step[];
}
