import type { View } from '../model/view.ts'
import { tokensOf } from '../model/weight.ts'

/** What a cut must know of one thing that the model sees. */
export interface CutItem {
  /** Estimated. */
  readonly tokens: number
  /** Whether what is kept may begin here. */
  readonly cuttable: boolean
  /** Whether a turn begins here: with words of the user, or the summary of a branch. */
  readonly opens: boolean
}

/** Where a path is cut: what is kept begins at `kept`; `turn` is where its turn begins, the same unless it is split. */
export interface CutPoint {
  readonly kept: number
  readonly turn: number
}

/**
 * Gives what a cut must know of what the model sees, in order. As pi has it, what is kept begins with words of the user
 * or the agent or with a summary, never with a tool result; nor between a call and its result, nor amid the entries of
 * one answer, over which other agents spread it.
 */
export function cutItems(views: readonly View[]): CutItem[] {
  const reaches = answersOf(views)
  /** The last result that answers a call up to here. */
  let answered = -1
  return views.map((view, at) => {
    const { role, blocks, effect } = view
    const isResult = role === 'tool' || blocks.some(({ kind }) => kind === 'toolResult')
    const cuttable = at > answered && !isResult && role !== 'system' && !isAmid(view, views[at - 1])
    answered = Math.max(answered, reaches[at] as number)
    const opens = (role === 'user' && !isResult) || effect?.kind === 'summary'
    return { tokens: tokensOf(view), cuttable, opens }
  })
}

/** Gives of each view where the last result is that answers one of its calls; -1 where none does. */
function answersOf(views: readonly View[]): number[] {
  const reaches: number[] = []
  const results = new Map<string, number>()
  for (let at = views.length - 1; at >= 0; at--) {
    let reach = -1
    for (const block of (views[at] as View).blocks)
      if (block.kind === 'toolCall') reach = Math.max(reach, results.get(block.id) ?? -1)
      else if (block.kind === 'toolResult') results.set(block.id, at)
    reaches[at] = reach
  }
  return reaches
}

/** Tells whether an entry goes on with the answer of the one before it. */
const isAmid = ({ role, usage }: View, before: View | undefined): boolean =>
  role === 'assistant' &&
  before?.role === 'assistant' &&
  usage?.call !== undefined &&
  usage.call === before.usage?.call

/**
 * Gives where to cut so that what is kept has so many tokens or just more, by pi's rule: backwards until the sum
 * reaches them, then forwards to the next piece where a cut may be; where none follows, back to the last one. Undefined
 * where all would be kept. With 0 tokens nothing is kept.
 */
export function cutFor(pieces: readonly CutItem[], keepTokens: number): CutPoint | undefined {
  if (pieces.length === 0) return undefined
  if (keepTokens === 0) return { kept: pieces.length, turn: pieces.length }
  let sum = 0
  let reached = pieces.length
  while (reached > 0 && sum < keepTokens) sum += (pieces[--reached] as CutItem).tokens
  if (sum < keepTokens) return undefined
  const next = pieces.findIndex(({ cuttable }, at) => at >= reached && cuttable)
  return cutAt(pieces, next < 0 ? pieces.findLastIndex(({ cuttable }) => cuttable) : next)
}

/** Gives the cut at a piece, with the beginning of the turn that it is in; undefined where nothing precedes it. */
export function cutAt(pieces: readonly CutItem[], kept: number): CutPoint | undefined {
  if (kept <= 0) return undefined
  const begun = pieces.findLastIndex(({ opens }, at) => at <= kept && opens)
  return { kept, turn: begun < 0 ? kept : begun }
}
