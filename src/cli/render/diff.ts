import { short } from '../../model/oid.ts'
import type { Diff } from '../../ops/diff.ts'
import type { LogEntry } from '../../ops/log.ts'
import { type Look, type Piece, styled, textOfPiece } from '../style.ts'
import { blockLines } from './blocks.ts'
import { lookOf } from './entry.ts'
import type { Line } from './line.ts'
import { type Pair, pairs } from './pairs.ts'
import { summaryOf } from './summary.ts'
import { counted, cut, firstLine } from './text.ts'
import { textDiff } from './textdiff.ts'

export interface DiffLook {
  /** The revisions as they were typed. */
  readonly a: string
  readonly b: string
  readonly columns: number
}

/** Gives where two branches part and what each side said since, a text diff where two entries correspond. */
export function diffLines({ base, left, right }: Diff, { a, b, columns }: DiffLook): Line[] {
  const since = (side: readonly LogEntry[]): string => `${counted(side.length, 'entry', 'entries')} since`
  return [
    base === null ? ['nothing in common'] : ['the last in common is ', styled('yellow', short(base))],
    [styled('red', `- ${firstLine(a)}`), `: ${since(left)}`],
    [styled('green', `+ ${firstLine(b)}`), `: ${since(right)}`],
    ...pairs(left, right).flatMap((pair) => [[], ...pairLines(pair, columns)]),
  ]
}

function pairLines({ left, right }: Pair, columns: number): Line[] {
  if (left && right) {
    const [l, r] = [wordsOf(left), wordsOf(right)]
    const heading: Line = [...id(left, 'red', '-'), ' ', ...id(right, 'green', '+'), ...role(left)]
    if (l === r) return [heading, [styled('dim', `  the same: ${cut(firstLine(l), columns - 12)}`)]]
    return [heading, ...folded(textDiff(l, r))]
  }
  const [entry, look, sign] = left ? [left, 'red' as const, '-'] : [right as LogEntry, 'green' as const, '+']
  return [
    [...id(entry, look, sign), ...role(entry)],
    [`  ${cut(summaryOf(entry.view, entry.type), columns - 2)}`],
  ]
}

const id = ({ oid }: LogEntry, look: Look, sign: string): Piece[] => [styled(look, `${sign}${short(oid)}`)]

const role = (entry: LogEntry): Piece[] => ['  ', styled(lookOf(entry.role), entry.role ?? entry.type)]

/** What is compared: all that an entry says, but for thinking; where that is nothing, what it does. */
function wordsOf({ view, type }: LogEntry): string {
  const blocks = view.blocks.filter(({ kind }) => kind !== 'thinking')
  const lines = blocks.flatMap((block) => blockLines(block, true))
  return lines.map((line) => line.map(textOfPiece).join('')).join('\n') || summaryOf(view, type)
}

/** Of two that correspond, so many lines are shown. */
const LINES = 40

const folded = (lines: readonly Line[]): Line[] =>
  lines.length <= LINES
    ? [...lines]
    : [...lines.slice(0, LINES), [styled('dim', `  … ${counted(lines.length - LINES, 'more line')}`)]]
