import { tokensOf } from '../model/tokens.ts'
import type { View } from '../model/view.ts'

/** The properties of one context item that determine where a compaction may cut. */
export interface CutItem {
  /** An estimate. */
  readonly tokens: number
  /** Whether the kept part may begin here. */
  readonly cuttable: boolean
  /** Whether a turn begins here: with a message of the user or a branch summary. */
  readonly opens: boolean
}

/** Where a path is cut: `kept` is the index of the first kept item, `turn` that of the first item of its turn. */
export interface CutPoint {
  readonly kept: number
  readonly turn: number
}

/**
 * Returns the cut properties of the views of a context. As in pi, the kept part begins with a message of the user or the
 * agent or with a summary, never with a tool result. It also never begins between a call and its result, nor between
 * entries of one model response, which other agents split.
 */
export function cutItems(views: readonly View[]): CutItem[] {
  const reaches = answersOf(views)
  /** The index of the last result of any call before this item. */
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

/** Returns for each view the index of the last result of its calls, -1 for none. */
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

/** Returns whether an entry belongs to the same model response as the one before it. */
const isAmid = ({ role, usage }: View, before: View | undefined): boolean =>
  role === 'assistant' &&
  before?.role === 'assistant' &&
  usage?.call !== undefined &&
  usage.call === before.usage?.call

/**
 * Returns the cut that keeps about `keepTokens` tokens, by pi's rule: goes back until the sum reaches them, then forward
 * to the next possible cut, or back to the last possible one if none follows. Returns undefined where everything would be
 * kept. With 0 tokens nothing is kept.
 */
export function cutFor(items: readonly CutItem[], keepTokens: number): CutPoint | undefined {
  if (items.length === 0) return undefined
  if (keepTokens === 0) return { kept: items.length, turn: items.length }
  let sum = 0
  let reached = items.length
  while (reached > 0 && sum < keepTokens) sum += (items[--reached] as CutItem).tokens
  if (sum < keepTokens) return undefined
  const next = items.findIndex(({ cuttable }, at) => at >= reached && cuttable)
  return cutAt(items, next < 0 ? items.findLastIndex(({ cuttable }) => cuttable) : next)
}

/** Returns the cut before an item, or undefined where nothing precedes it. */
export function cutAt(items: readonly CutItem[], kept: number): CutPoint | undefined {
  if (kept <= 0) return undefined
  const begun = items.findLastIndex(({ opens }, at) => at <= kept && opens)
  return { kept, turn: begun < 0 ? kept : begun }
}
