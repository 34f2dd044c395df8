/** What to try when a pattern finds nothing, in the words of its language. */
import { hasBraces, type Language } from "../../ast/languages.js";
import { cut } from "../../lib/cut.js";

/** The text for a pattern that found nothing because it is not code. */
export function notCode(pattern: string, language: Language): string {
  const said = `the pattern does not parse, and no code is broken in the same way: ${cut(pattern)}\n`;
  const advice = constantAdvice(pattern, language) ?? bodyAdvice(pattern, language);
  return said + (advice === undefined ? "A pattern is a whole piece of code: close every bracket and quote, and write it as it stands in a file" : upper(advice));
}

/** What to try when a pattern that parses finds nothing. */
export function tip(pattern: string, language: Language): string {
  const advice = bodyAdvice(pattern, language) ?? returnAdvice(pattern, language);
  if (advice !== undefined) return `Tip: ${advice}`;
  const parts = hasBraces(language) ? "its body, semicolons and kind of quotes" : "all its parts and kind of quotes";
  return `Tip: a pattern is a whole piece of code, with ${parts} as in the files; $NAME stands for one node, $$$NAME for any number.`;
}

function bodyAdvice(pattern: string, language: Language): string | undefined {
  const whole = withBody(pattern.trim(), language);
  return whole === undefined ? undefined : `a definition or a block needs its body: ${cut(whole)}`;
}

/** The pattern with a body behind it; undefined when it has one, or is nothing that has bodies. */
function withBody(pattern: string, language: Language): string | undefined {
  const outline = withoutBrackets(pattern);
  if (language === "python") {
    const opens = /^(?:@\S+\s+)*(?:async\s+)?(?:def|class|for|while|if|with|try)\b/.test(outline);
    return opens && !/:\s*\S/.test(outline) ? `${pattern.replace(/\s*:$/, "")}: $$$BODY` : undefined;
  }
  if (language === "ruby") {
    const opens = /^(?:def|class|module|for|while|until|unless|if|case)\b/.test(outline);
    return opens && !/\bend$/.test(outline) ? `${pattern} $$$BODY end` : undefined;
  }
  if (!hasBraces(language) || outline.includes("{")) return undefined;
  return opensBlock(outline, language) || (/\)\s*(?::[^={]+)?$/.test(pattern) && isMethod(outline)) ? `${pattern} { $$$BODY }` : undefined;
}

function opensBlock(outline: string, language: Language): boolean {
  const takesNoParentheses = language === "go" || language === "rust" || language === "swift";
  if (takesNoParentheses ? /^(?:for|while|if|switch|match)\b/.test(outline) : /^(?:for|while|if|switch)\s*$/.test(outline)) return true;
  return /^(?:\w+\s+)*?(?:function|func|fn|fun|class|struct|interface|enum|trait|impl|namespace)\b[^=;]*$/.test(outline);
}

function isMethod(outline: string): boolean {
  return /\b(?:public|private|protected|static|async)\b[^=;]*$/.test(outline);
}

/** A return type is part of a function, so a pattern without it does not find functions that have one. */
function returnAdvice(pattern: string, language: Language): string | undefined {
  const typed = withReturnType(pattern.trim(), language);
  return typed === undefined ? undefined : `what a function has must be in the pattern, as a return type, async or a decorator. With a return type: ${cut(typed)}`;
}

function withReturnType(pattern: string, language: Language): string | undefined {
  if (language === "python" && /^(?:async\s+)?def\b[^:>]*\)\s*:/.test(pattern)) return pattern.replace(/\)\s*:/, () => ") -> $R:");
  const isTyped = language === "typescript" || language === "tsx";
  if (isTyped && /^(?:export\s+)?(?:async\s+)?function\b[^:{]*\)\s*\{/.test(pattern)) return pattern.replace(/\)\s*\{/, () => "): $R {");
  return undefined;
}

/** A class or a module of Ruby is named by a constant, which a variable cannot stand for. */
function constantAdvice(pattern: string, language: Language): string | undefined {
  const [, keyword] = (language === "ruby" && /^\s*(class|module)\s+\$/.exec(pattern)) || [];
  return keyword === undefined ? undefined : `in Ruby a variable cannot name a ${keyword}; write its name: ${keyword} Name $$$BODY end`;
}

/** Without what is in round and square brackets, so that the outline of a definition is left. */
function withoutBrackets(pattern: string): string {
  const less = pattern.slice(0, 2_000).replace(/\([^()]*\)|\[[^[\]]*\]/g, "");
  return less.length === Math.min(pattern.length, 2_000) ? less.trim() : withoutBrackets(less);
}

function upper(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
