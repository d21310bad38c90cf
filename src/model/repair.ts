/**
 * A change to a context that makes it valid for a model's API.
 * - `closed-call`: an unanswered tool call got an answer; `dropped-result`: a result without a call was left out;
 *   `moved-result`: a late result was moved after its call.
 * - `renamed-call`, `renamed-tool`: an id or name that the API refuses, or a duplicate id, was replaced.
 * - `dropped-thinking`: reasoning that the API did not sign, or that ends the context, was left out.
 * - `dropped-image`: an image that the API does not take, or whose bytes are unknown, was replaced by words.
 * - `added-start`: words of the user were added before the first words of the model.
 */
export type RepairKind =
  | 'closed-call'
  | 'dropped-result'
  | 'moved-result'
  | 'renamed-call'
  | 'renamed-tool'
  | 'dropped-thinking'
  | 'dropped-image'
  | 'added-start'

/** One repair of a context. */
export interface RequestRepair<N> {
  readonly kind: RepairKind
  /** The entry that it concerns. */
  readonly node: N
  /** The id of the tool call, as the entry has it. */
  readonly call?: string
  /** The replacement of an id or a name. */
  readonly as?: string
}
