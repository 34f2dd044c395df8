/**
 * Trees of the files searched last. Parsing is most of the work of a search, and the next search is mostly over the
 * same files. A tree is used again only for the very same text.
 */
import type { Grammar, Node } from "./module.js";

/** Characters of all texts together; a tree takes some twenty times as many bytes. */
const MAX_CHARACTERS = 4_000_000;

interface Kept {
  text: string;
  grammar: Grammar;
  root: Node;
}

export class TreeCache {
  /** The one used least recently comes first. */
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  constructor(readonly limit = MAX_CHARACTERS) {}

  get size(): number {
    return this.#kept.size;
  }

  /** The tree of the file with this text. */
  tree(file: string, text: string, grammar: Grammar): Node {
    const known = this.#kept.get(file);
    if (known !== undefined) this.#drop(file, known);
    const root = known?.text === text && known.grammar === grammar ? known.root : grammar.parse(text);
    this.#kept.set(file, { text, grammar, root });
    this.#characters += text.length;
    for (const [oldest, kept] of this.#kept) {
      if (this.#characters <= this.limit) break;
      this.#drop(oldest, kept);
    }
    return root;
  }

  #drop(file: string, { text }: Kept): void {
    this.#kept.delete(file);
    this.#characters -= text.length;
  }
}
