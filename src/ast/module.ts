/**
 * The matcher, `@ast-grep/napi`, as it is installed on this machine. Releases up to 0.33 have all languages in them.
 * Later ones have five; the others come as packages `@ast-grep/lang-NAME`, which are registered here if they are there.
 */
import type * as Napi from "@ast-grep/napi";
import { createRequire } from "node:module";
import { type Language, LANGUAGES, SIGILS } from "./languages.js";

type NapiModule = typeof Napi;
export type Node = Napi.SgNode;
export type Matcher = string | Napi.NapiConfig;

/** A language that is ready for use. */
export interface Grammar {
  /** What `$` is in it, see `SIGILS`. */
  sigil: string;
  parse(source: string): Node;
}

export interface Engine {
  /** Version of `@ast-grep/napi`; empty when unknown. */
  version: string;
  grammar(language: Language): Grammar | undefined;
}

interface LanguagePackage {
  libraryPath: string;
  extensions: string[];
  languageSymbol?: string;
  metaVarChar?: string;
  expandoChar?: string;
}

/** Loads the matcher. @throws what the loader says when it is not there or does not fit this machine. */
export async function loadEngine(): Promise<Engine> {
  const napi = await loadNapi();
  const near = nearby();
  const builtIn = new Map(Object.values(napi.Lang).map((name) => [name.toLowerCase(), name]));
  const missing = LANGUAGES.filter((language) => !builtIn.has(language));
  const registered = register(napi, near, missing);
  const grammars = new Map<Language, Grammar>();
  for (const language of LANGUAGES) {
    const dynamic = registered.get(language);
    const name: string | undefined = dynamic === undefined ? builtIn.get(language) : language;
    if (name === undefined) continue;
    const sigil = dynamic?.expandoChar ?? SIGILS[language] ?? "$";
    grammars.set(language, { sigil, parse: (source) => napi.parse(name as Napi.Lang, source).root() });
  }
  return { version: versionOf(near), grammar: (language) => grammars.get(language) };
}

async function loadNapi(): Promise<NapiModule> {
  try {
    // The header of the bundle makes this look among globally installed packages, too.
    return require("@ast-grep/napi") as NapiModule;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_REQUIRE_ESM") throw error;
    return await import("@ast-grep/napi");
  }
}

/** Requires what lies beside the matcher, or where NODE_PATH leads. */
function nearby(): NodeJS.Require {
  try {
    return createRequire(require.resolve("@ast-grep/napi"));
  } catch {
    return require;
  }
}

/** All at once, because the matcher takes only one registration in the life of a process. */
function register(napi: NapiModule, near: NodeJS.Require, missing: readonly Language[]): Map<Language, LanguagePackage> {
  const found = new Map<Language, LanguagePackage>();
  if (typeof napi.registerDynamicLanguage !== "function") return found;
  for (const language of missing) {
    const loaded = languagePackage(near, language);
    if (loaded !== undefined) found.set(language, loaded);
  }
  if (found.size === 0) return found;
  try {
    napi.registerDynamicLanguage(Object.fromEntries(found));
    return found;
  } catch (error) {
    process.stderr.write(`ast-engine: languages were not registered: ${String(error)}\n`);
    return new Map();
  }
}

function languagePackage(near: NodeJS.Require, language: Language): LanguagePackage | undefined {
  try {
    const loaded = near(`@ast-grep/lang-${language}`) as LanguagePackage & { default?: LanguagePackage };
    const { libraryPath, extensions, languageSymbol, metaVarChar, expandoChar } = loaded.default ?? loaded;
    return {
      libraryPath,
      extensions,
      ...(languageSymbol !== undefined && { languageSymbol }),
      ...(metaVarChar !== undefined && { metaVarChar }),
      ...(expandoChar !== undefined && { expandoChar }),
    };
  } catch {
    return undefined; // not installed, or not built for this machine
  }
}

function versionOf(near: NodeJS.Require): string {
  try {
    return (near("./package.json") as { version: string }).version;
  } catch {
    return "";
  }
}
