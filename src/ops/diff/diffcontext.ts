import { type AlignedPair, alignLists, matchByScore, matchKeys } from '../../graph/align.ts'
import { jsonText } from '../../model/json.ts'
import type { Setting } from '../../model/view.ts'
import { tokensOf } from '../../model/weight.ts'
import type { Repo } from '../../repo/repo.ts'
import { type ContextMessage, contextOf, type NeutralContext } from '../context/context.ts'

/** How much the model sees, and how it is set. */
export interface Seen extends Setting {
  readonly messages: number
  /** Estimated. */
  readonly tokens: number
}

/** What the model sees at two places. */
export interface ContextDiff {
  readonly before: Seen
  readonly after: Seen
  /** How many messages both begin with: so much of a prompt cache still serves. */
  readonly prefix: number
  /**
   * All messages in order: the left one left, the right one came; where there are both, the same words stay, or an
   * entry says something else now.
   */
  readonly pairs: readonly (AlignedPair<ContextMessage> & { readonly same: boolean })[]
}

/** Compares what the model sees at two revisions, such as before and after a compaction. Throws as `resolve`. */
export async function diffContexts(repo: Repo, left: string, right: string): Promise<ContextDiff> {
  const [before, after] = [await contextOf(repo, left), await contextOf(repo, right)]
  const [l, r] = [before.messages.map(wordsOf), after.messages.map(wordsOf)]
  const [a, b] = [before.messages, after.messages]
  const matches = matchByScore(matchKeys(l, r), [l.length, r.length], (i, j) =>
    l[i] === r[j] ? 2 : Number(a[i]?.oid === b[j]?.oid),
  )
  const first = l.findIndex((words, i) => words !== r[i])
  return {
    before: seen(before),
    after: seen(after),
    prefix: first < 0 ? l.length : first,
    pairs: alignLists(a, b, matches).map((pair) => ({
      ...pair,
      same: pair.left !== undefined && pair.right !== undefined && wordsOf(pair.left) === wordsOf(pair.right),
    })),
  }
}

/** What a message says to the model, wherever it comes from. */
const wordsOf = ({ role, blocks }: ContextMessage): string => jsonText([role, blocks])

function seen({ messages, model, thinking, mode }: NeutralContext): Seen {
  return {
    messages: messages.length,
    tokens: messages.reduce((sum, { role, blocks }) => sum + tokensOf({ role, blocks }), 0),
    ...(model && { model }),
    ...(thinking !== undefined && { thinking }),
    ...(mode !== undefined && { mode }),
  }
}
