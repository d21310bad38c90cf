/**
 * What was done to a context so that a model's API takes it.
 * - `closed-call`: a tool call that nothing answers was answered; `dropped-result`: a result that answers no call was
 *   left out; `moved-result`: a result that came late was put where its call is answered.
 * - `renamed-call`, `renamed-tool`: an id or a name that the API refuses, or an id that another call has, was replaced.
 * - `dropped-thinking`: a thought that the API did not seal, or that nothing follows, was left out.
 * - `dropped-image`: an image that the API does not take, or whose bytes are not known, was told in words.
 * - `added-start`: words of the user were put before the first words of the model.
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
export interface Repair<N> {
  readonly kind: RepairKind
  /** The entry that it concerns. */
  readonly node: N
  /** The id of the tool call, as the entry has it. */
  readonly call?: string
  /** What stands now for an id or a name. */
  readonly as?: string
}
