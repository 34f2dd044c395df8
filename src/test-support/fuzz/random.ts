/** Chance that can be repeated: the same seed gives the same choices. */
export class Chance {
  #state: number;

  /** @param seed any text; similar ones give unrelated choices */
  constructor(seed: string) {
    this.#state = 2_166_136_261;
    for (const unit of seed) this.#state = Math.imul(this.#state ^ (unit.codePointAt(0) as number), 16_777_619);
  }

  /** At least 0 and below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** True that often. */
  in(probability: number): boolean {
    return this.next() < probability;
  }

  one<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)] as T;
  }

  /** Between none and `most` of what `make` makes. */
  some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.int(0, most) }, make);
  }
}
