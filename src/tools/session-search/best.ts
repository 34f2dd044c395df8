/** The first few of many, in an order, without keeping the rest. */
export class Best<T> {
  readonly #items: T[] = [];

  /** @param before negative when `a` comes before `b` */
  constructor(
    private readonly limit: number,
    private readonly before: (a: T, b: T) => number,
  ) {}

  offer(item: T): void {
    const items = this.#items;
    const last = items.at(-1);
    if (items.length >= this.limit && last !== undefined && this.before(item, last) >= 0) return;
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.before(item, items[middle] as T) < 0) high = middle;
      else low = middle + 1;
    }
    items.splice(low, 0, item);
    if (items.length > this.limit) items.pop();
  }

  get items(): readonly T[] {
    return this.#items;
  }
}
