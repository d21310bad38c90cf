import { short } from '../../model/oid.ts'
import type { Pair } from '../../ops/diff/pairs.ts'
import type { Diff } from '../../ops/diff.ts'
import type { LogEntry } from '../../ops/log.ts'
import { type Look, type Piece, styled, textOfPiece } from '../style.ts'
import { blockLines } from './blocks.ts'
import { lookOf } from './entry.ts'
import type { Line } from './line.ts'
import { sideBySide } from './sidebyside.ts'
import { summaryOf } from './summary.ts'
import { counted, cut, firstLine } from './text.ts'
import { textDiff, wordDiff } from './textdiff.ts'

export interface DiffLook {
  /** The revisions as they were typed. */
  readonly a: string
  readonly b: string
  readonly columns: number
  /** Show words that changed in texts of any length. */
  readonly words: boolean
}

/** Returns the merge base of two branches and what each side added, with a text diff of entries that correspond. */
export function diffLines({ base, left, right, pairs }: Diff, look: DiffLook): Line[] {
  const since = (side: readonly LogEntry[]): string => `${counted(side.length, 'entry', 'entries')} since`
  return [
    baseLine(base),
    [styled('red', `- ${firstLine(look.a)}`), `: ${since(left)}`],
    [styled('green', `+ ${firstLine(look.b)}`), `: ${since(right)}`],
    ...stretches(pairs).flatMap((stretch) => [[], ...stretchLines(stretch, look)]),
  ]
}

/** Returns where two branches part. */
export const baseLine = (base: Diff['base']): Line =>
  base === null ? ['nothing in common'] : ['the last in common is ', styled('yellow', short(base))]

/** So many that say the same in a row are shown one by one. */
const SAME = 2

/** Returns pairs one by one, with long runs of equal ones together. */
function stretches(pairs: readonly Pair[]): Pair[][] {
  const rows: Pair[][] = []
  for (const pair of pairs) {
    const row = rows.at(-1)
    if (pair.same && row?.[0]?.same) row.push(pair)
    else rows.push([pair])
  }
  return rows.flatMap((row) => (row.length > SAME ? [row] : row.map((pair) => [pair])))
}

function stretchLines(stretch: readonly Pair[], look: DiffLook): Line[] {
  const [first, last] = [stretch[0], stretch.at(-1)]
  if (!first || !last || stretch.length === 1) return first ? pairLines(first, look) : []
  return [[styled('dim', `  … ${counted(stretch.length, 'entry', 'entries')} that say the same`)]]
}

function pairLines({ left, right, same }: Pair, { columns, words }: DiffLook): Line[] {
  if (left && right) {
    const [l, r] = [wordsOf(left), wordsOf(right)]
    const heading: Line = [...id(left, 'red', '-'), ' ', ...id(right, 'green', '+'), ...role(left)]
    if (same || l === r) return [heading, [styled('dim', `  the same: ${cut(firstLine(l), columns - 12)}`)]]
    if (words) return [heading, ...folded(wordDiff(l, r))]
    return [
      heading,
      ...((isTool(left) && isTool(right) && sideBySide(l, r, columns)) || folded(textDiff(l, r))),
    ]
  }
  const [entry, look, sign] = left ? [left, 'red' as const, '-'] : [right as LogEntry, 'green' as const, '+']
  return [
    [...id(entry, look, sign), ...role(entry)],
    [`  ${cut(summaryOf(entry.view, entry.type), columns - 2)}`],
  ]
}

const isTool = ({ view }: LogEntry): boolean =>
  view.blocks.some(({ kind }) => kind === 'toolCall' || kind === 'toolResult')

const id = ({ oid }: LogEntry, look: Look, sign: string): Piece[] => [styled(look, `${sign}${short(oid)}`)]

const role = (entry: LogEntry): Piece[] => ['  ', styled(lookOf(entry.role), entry.role ?? entry.type)]

/** Returns the text to compare: everything but reasoning; for an entry without text its effect. */
function wordsOf({ view, type }: LogEntry): string {
  const blocks = view.blocks.filter(({ kind }) => kind !== 'thinking')
  const lines = blocks.flatMap((block) => blockLines(block, true))
  return lines.map((line) => line.map(textOfPiece).join('')).join('\n') || summaryOf(view, type)
}

/** Of two that correspond, so many lines are shown. */
const LINES = 40

/** Cuts the lines of two that correspond. */
const folded = (lines: readonly Line[]): Line[] =>
  lines.length <= LINES
    ? [...lines]
    : [...lines.slice(0, LINES), [styled('dim', `  … ${counted(lines.length - LINES, 'more line')}`)]]
