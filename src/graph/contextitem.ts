import type { View } from '../model/view.ts'

/**
 * The kind of an item of a context: a message after the latest compaction, or `kept` from before it; a message
 * that a compaction carries, or the system prompt that it carries (`checkpoint`); a summary; or a result that closes a
 * tool call which has none.
 */
export type ContextPart =
  | 'message'
  | 'kept'
  | 'replacement'
  | 'checkpoint'
  | 'compaction-summary'
  | 'branch-summary'
  | 'closing'

/** One message that the model sees. */
export interface ContextItem<N> {
  /** The entry that it comes from. */
  readonly node: N
  readonly part: ContextPart
  /** Its meaning, edits applied. */
  readonly view: View
  /** Of a `replacement`: its index among the messages of the compaction. */
  readonly index?: number
  /** The entry that put these words in place of the node's own. */
  readonly edit?: N
  /** Whether it carries the summary of the compaction before it. */
  readonly summary?: true
  /** Whether it says less than its entry, to fit a budget. */
  readonly reduced?: true
}
