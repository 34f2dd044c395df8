/** A refusal of the state tools, in words for the caller: one sentence, paths by their last name only. */
export class StateError extends Error {
  override name = "StateError";
}
