import { SessError } from '../../model/errors.ts'
import { diffContexts } from '../../ops/diff/diffcontext.ts'
import { diffStat } from '../../ops/diff/diffstat.ts'
import { diff } from '../../ops/diff.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import { diffLines } from '../render/diff.ts'
import { contextDiffData, contextDiffLines } from '../render/diffcontext.ts'
import { statLines } from '../render/diffstat.ts'
import { entryData } from '../render/entry.ts'
import type { Line } from '../render/line.ts'

interface Options {
  readonly stat?: true
  readonly context?: true
  readonly wordDiff?: true
}

const HINT = "type 'sess help diff' to see how it is used"

/** `sess diff`: shows where two branches diverge and what each side added. */
export const define: Define = (command, act) => {
  command
    .argument('<a>', 'a session or an entry, or a range: A..B, A...B')
    .argument('[b]', 'another')
    .option('--stat', 'count the entries of each side, by role and by tool')
    .option('--context', 'compare the contexts of both')
    .option('--word-diff', 'compare by words, also in long texts')
    .addHelpText(
      'after',
      `
A...B shows what B added since its merge base with A. Sessions without a common entry are compared by content.
Tool calls and results are shown side by side on terminals of 100 columns or more.`,
    )
    .action(
      act(async (call, a: string, b: string | undefined, options: Options) => {
        if (options.stat && options.context)
          throw new SessError('bad-usage', "'--stat' and '--context' exclude each other", { hint: HINT })
        if (options.stat) await showStat(call, a, b)
        else if (options.context) await showContext(call, a, b)
        else await showDiff(call, a, b, options)
      }),
    )
  examples(command, [
    ['sess diff 3b1f c7d0', 'a session and its fork'],
    ['sess diff 3b1f...c7d0', 'what the fork added since the merge base'],
    ['sess diff 3b1f/main 3b1f/at-1d9fca05 --stat', 'how much two branches of a session differ'],
    ['sess diff --context 019d4e07~2 019d4e07', 'the context before and after a compaction'],
  ])
}

async function showDiff(call: Call, a: string, b: string | undefined, { wordDiff }: Options): Promise<void> {
  const { io } = call
  const found = await diff(await call.repo(), a, b)
  const { base, left, right, pairs } = found
  if (io.json)
    await io.data({
      base,
      left: left.map(entryData),
      right: right.map(entryData),
      pairs: pairs.map((pair) => ({
        left: pair.left?.oid ?? null,
        right: pair.right?.oid ?? null,
        same: pair.same,
      })),
    })
  else
    await print(call, diffLines(found, { ...namesOf(a, b), columns: io.columns, words: wordDiff ?? false }))
}

async function showStat(call: Call, a: string, b: string | undefined): Promise<void> {
  const stat = await diffStat(await call.repo(), a, b)
  if (call.io.json) await call.io.data(stat)
  else await print(call, statLines(stat, namesOf(a, b)))
}

async function showContext(call: Call, a: string, b: string | undefined): Promise<void> {
  if (b === undefined) throw new SessError('bad-usage', "'--context' takes two revisions", { hint: HINT })
  const found = await diffContexts(await call.repo(), a, b)
  if (call.io.json) await call.io.data(contextDiffData(found))
  else await print(call, contextDiffLines(found, { a, b, columns: call.io.columns }))
}

async function print({ io }: Call, lines: readonly Line[]): Promise<void> {
  for (const line of lines) await io.print(...line)
}

/** Returns the names of both sides as they were typed: those of a range are its ends. */
function namesOf(a: string, b: string | undefined): { readonly a: string; readonly b: string } {
  if (b !== undefined) return { a, b }
  const [, left = a, dots, right = a] = /^(.+?)(\.{2,3})(.+)$/.exec(a) ?? []
  return { a: dots === '...' ? 'the last in common' : left, b: right }
}
