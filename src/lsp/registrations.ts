/** What a server registered after its start. */
import type { Registration, Unregistration } from "vscode-languageserver-protocol/node";

const MAX_REGISTRATIONS = 1_000;

export class Registrations {
  readonly #byId = new Map<string, Registration>();

  readonly #listeners: (() => void)[] = [];

  /** Calls `listener` whenever the server has registered something. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  add(registrations: readonly Registration[]): void {
    for (const registration of registrations) {
      if (this.#byId.size < MAX_REGISTRATIONS) this.#byId.set(registration.id, registration);
    }
    for (const listener of this.#listeners) listener();
  }

  remove(unregistrations: readonly Unregistration[]): void {
    for (const { id } of unregistrations) this.#byId.delete(id);
  }

  /** The options of all registrations of a method; empty when there are none. */
  of(method: string): unknown[] {
    return [...this.#byId.values()].filter((one) => one.method === method).map((one) => one.registerOptions ?? {});
  }
}
