import { defined } from '../../model/json.ts'
import { contextDiffLines, diffLines, statLines } from '../../text/diff.ts'
import type { Line } from '../../text/text.ts'
import { contextDiff } from '../../verbs/context-diff.ts'
import { diff, SIDES } from '../../verbs/diff.ts'
import { diffStat } from '../../verbs/diff-stat.ts'
import { anyOf } from '../../verbs/schema.ts'
import { sharedBase } from '../../verbs/shared-base.ts'
import { defineCommand, output } from '../define.ts'
import { flag } from '../parameters.ts'
import { answerOf } from '../present.ts'
import { sharedText } from '../render/shared.ts'

/** `sess diff`: shows where two branches diverge and what each side added. */
export const command = defineCommand({
  effect: diff.effect,
  paged: true,
  arguments: SIDES,
  options: {
    stat: flag('count the entries of each side, by role and by tool', { excludes: ['context'] }),
    context: flag('compare the contexts of both', { needs: 'b' }),
    wordDiff: flag('compare by words, also in long texts'),
  },
  help: `A...B shows what B added since its merge base with A. Sessions without a common entry are compared by content.
Tool calls and results are shown side by side on terminals of 100 columns or more.`,
  examples: [
    ['sess diff 3b1f c7d0', 'a session and its fork'],
    ['sess diff 3b1f...c7d0', 'what the fork added since the merge base'],
    ['sess diff 3b1f/main 3b1f/at-1d9fca05 --stat', 'how much two branches of a session differ'],
    ['sess diff --context 019d4e07~2 019d4e07', 'the context before and after a compaction'],
  ],
  output: output(
    'One object; with --stat or --context another.',
    anyOf(diff.output.schema, diffStat.output.schema, contextDiff.output.schema),
  ),
  run: async (call, { a, b, stat, context: isOfContexts, wordDiff }) => {
    const { columns } = call.io
    const context = await call.context()
    const sides = { a, ...defined({ b }) }
    const names = namesOf(a, b)
    /** Says which other branches share something, where the compared ones do not. */
    const notesOn = async (base: string | null): Promise<string[]> => {
      const shared = base === null && !call.io.json ? await sharedBase.run(context, sides) : null
      return shared ? [sharedText(shared, 'diff')] : []
    }
    if (stat) {
      const counts = await diffStat.run(context, sides)
      const notes = await notesOn(counts.base)
      return answerOf(diffStat, counts, { render: () => statLines(counts, names), notes })
    }
    if (isOfContexts && b !== undefined) {
      const found = await contextDiff.run(context, { a, b })
      return answerOf(contextDiff, found, { render: () => contextDiffLines(found, { a, b, columns }) })
    }
    const found = await diff.run(context, sides)
    const notes = await notesOn(found.base)
    const render = (): Iterable<Line> => diffLines(found, { ...names, columns, words: wordDiff })
    return answerOf(diff, found, { render, notes })
  },
})

/** Returns the names of both sides as they were typed: those of a range are its ends. */
function namesOf(a: string, b: string | undefined): { readonly a: string; readonly b: string } {
  if (b !== undefined) return { a, b }
  const [, left = a, dots, right = a] = /^(.+?)(\.{2,3})(.+)$/.exec(a) ?? []
  return { a: dots === '...' ? 'the merge base' : left, b: right }
}
