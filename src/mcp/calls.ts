/** The calls under way, so that a stopping server can give them a moment to end. */
export class Calls {
  readonly #running = new Set<Promise<unknown>>();

  /** Counts a call until it has ended; returns it unchanged. */
  track<T>(call: Promise<T>): Promise<T> {
    this.#running.add(call);
    const done = () => this.#running.delete(call);
    call.then(done, done);
    return call;
  }

  /** Waits until no call is under way, at most that long. */
  async settle(milliseconds: number): Promise<void> {
    if (this.#running.size === 0) return;
    const ended = Promise.allSettled(this.#running);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([ended, patience]);
    clearTimeout(timer);
  }
}
