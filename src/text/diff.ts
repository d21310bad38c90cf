import { short } from '../model/encoding/oid.ts'
import type {
  Amount,
  ContextDiff,
  ContextMessage,
  Diff,
  DiffChange,
  DiffStat,
  LogEntry,
  Pair,
  Seen,
} from '../verbs/types.ts'
import { lookOf, summaryOf } from './entry.ts'
import { blockLines } from './show.ts'
import {
  counted,
  firstLine,
  grouped,
  type Line,
  lineText,
  type Piece,
  styled,
  type TextStyle,
} from './text.ts'
import { sideBySide, textDiff, wordDiff } from './textdiff.ts'
import { cut, pad, padStart, widthOf } from './width.ts'

interface DiffLook {
  /** The revisions as they were typed. */
  readonly a: string
  readonly b: string
  readonly columns: number
  /** Show words that changed in texts of any length. */
  readonly words: boolean
}

/** Returns the merge base of two branches and what each side added, with a text diff of entries that correspond. */
export function diffLines({ base, left, right, pairs }: Diff, look: DiffLook): Line[] {
  const since = (side: readonly LogEntry[]): string => `${counted(side.length, 'entry')} since`
  return [
    baseLine(base),
    [styled('red', `- ${firstLine(look.a)}`), `: ${since(left)}`],
    [styled('green', `+ ${firstLine(look.b)}`), `: ${since(right)}`],
    ...stretches(pairs).flatMap((stretch) => [[], ...stretchLines(stretch, look)]),
  ]
}

/** Returns where two branches part. */
const baseLine = (base: Diff['base']): Line =>
  base === null ? ['nothing in common'] : ['merge base: ', styled('yellow', short(base))]

/** The number of equal entries in a row that are shown one by one. */
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
  return [[styled('dim', `  … ${counted(stretch.length, 'entry')} that say the same`)]]
}

function pairLines({ left, right, same }: Pair, { columns, words }: DiffLook): Line[] {
  if (left && right) {
    const [l, r] = [wordsOf(left), wordsOf(right)]
    const heading: Line = [...id(left, 'red', '-'), ' ', ...id(right, 'green', '+'), ...rolePieces(left)]
    if (same || l === r) return [heading, [styled('dim', `  the same: ${cut(firstLine(l), columns - 12)}`)]]
    if (words) return [heading, ...folded(wordDiff(l, r))]
    return [
      heading,
      ...((isTool(left) && isTool(right) && sideBySide(l, r, columns)) || folded(textDiff(l, r))),
    ]
  }
  const [entry, look, sign] = left ? [left, 'red' as const, '-'] : [right as LogEntry, 'green' as const, '+']
  return [
    [...id(entry, look, sign), ...rolePieces(entry)],
    [`  ${cut(summaryOf(entry.view, entry.type), columns - 2)}`],
  ]
}

const isTool = ({ view }: LogEntry): boolean =>
  view.blocks.some(({ kind }) => kind === 'toolCall' || kind === 'toolResult')

const id = ({ oid }: LogEntry, look: TextStyle, sign: string): Piece[] => [
  styled(look, `${sign}${short(oid)}`),
]

const rolePieces = (entry: LogEntry): Piece[] => ['  ', styled(lookOf(entry.role), entry.role ?? entry.type)]

/** Returns the text to compare: everything but reasoning; for an entry without text its effect. */
function wordsOf({ view, type }: LogEntry): string {
  const blocks = view.blocks.filter(({ kind }) => kind !== 'thinking')
  const lines = blocks.flatMap((block) => blockLines(block, true))
  return lines.map(lineText).join('\n') || summaryOf(view, type)
}

/** The number of lines shown of two entries that correspond. */
const LINES = 40

/** Cuts the lines of two that correspond. */
const folded = (lines: readonly Line[]): Line[] =>
  lines.length <= LINES
    ? [...lines]
    : [...lines.slice(0, LINES), [styled('dim', `  … ${counted(lines.length - LINES, 'more line')}`)]]

/** Longer names of tools are cut. */
const NAME = 28

/** Returns the sizes of both sides of a diff: in total, by role and by tool. */
export function statLines(
  { base, same, entries, messages, roles, tools }: DiffStat,
  { a, b }: Pick<DiffLook, 'a' | 'b'>,
): Line[] {
  const rows: (readonly [name: string, change: DiffChange])[] = [
    ['entries', entries],
    ['messages', messages],
    ...Object.entries(roles).map(([role, change]) => [`  ${role}`, change] as const),
    ...Object.entries(tools).map(([tool, change]) => [`→ ${cut(firstLine(tool), NAME)}`, change] as const),
  ]
  const first = Math.max(...rows.map(([name]) => widthOf(name)))
  const cells = rows.map(([, change]) => PARTS.flatMap((part) => amounts(change, part)))
  const widths = PARTS.flatMap((part, i) =>
    [0, 1].map((side) =>
      Math.max(...cells.map((row) => (row[2 * i + side] as string).length), HEADS[part].length * side),
    ),
  )
  const heads = PARTS.map((part, i) => {
    const width = (widths[2 * i] as number) + 1 + (widths[2 * i + 1] as number)
    return `  ${padStart(HEADS[part], width)}`
  }).join('')
  return [
    baseLine(base),
    [styled('red', `- ${firstLine(a)}`)],
    [styled('green', `+ ${firstLine(b)}`)],
    ...(same === 0 ? [] : [[styled('dim', `${counted(same, 'entry')} the same on both sides`)]]),
    [],
    [' '.repeat(first), styled('bold', heads)],
    ...rows.map(
      ([name], row): Line => [
        pad(name, first),
        ...(cells[row] as string[]).map((cell, i) =>
          styled(
            i % 2 === 0 ? 'red' : 'green',
            `${i % 2 === 0 ? '  ' : ' '}${padStart(cell, widths[i] as number)}`,
          ),
        ),
      ],
    ),
  ]
}

const PARTS = ['count', 'chars', 'tokens'] as const

const HEADS = { count: 'count', chars: 'chars', tokens: 'tokens' } as const

const amounts = ({ removed, added }: DiffChange, part: keyof Amount): string[] => [
  `-${grouped(removed[part])}`,
  `+${grouped(added[part])}`,
]

/** Returns which messages left and entered the context, and which settings changed. */
export function contextDiffLines(
  { before, after, prefix, pairs }: ContextDiff,
  { a, b, columns }: Omit<DiffLook, 'words'>,
): Line[] {
  const lines: Line[] = [
    [styled('red', `- ${firstLine(a)}`), `: ${amountOf(before)}`],
    [styled('green', `+ ${firstLine(b)}`), `: ${amountOf(after)}`],
    [styled('dim', `both begin with the same ${counted(prefix, 'message')}`)],
    ...settingLines(before, after),
    [],
  ]
  let kept = 0
  const flush = (): void => {
    if (kept > 0) lines.push([styled('dim', `  ${counted(kept, 'message')} kept`)])
    kept = 0
  }
  for (const { left, right, same } of pairs) {
    if (same) kept++
    else {
      flush()
      if (left) lines.push(messageLine(left, 'red', '-', columns))
      if (right) lines.push(messageLine(right, 'green', '+', columns))
    }
  }
  flush()
  return lines
}

const amountOf = ({ messages, tokens }: Seen): string =>
  `${counted(messages, 'message')}, ${counted(tokens, 'token')} estimated`

function settingLines(before: Seen, after: Seen): Line[] {
  const settings = [
    ['model', before.model?.id, after.model?.id],
    ['thinking', before.thinking, after.thinking],
    ['mode', before.mode, after.mode],
  ] as const
  return settings.flatMap(([name, was, is]): Line[] =>
    was === is ? [] : [[`${name}: ${firstLine(was ?? 'none')}, then ${firstLine(is ?? 'none')}`]],
  )
}

function messageLine(
  { oid, part, role, blocks }: ContextMessage,
  look: TextStyle,
  sign: string,
  columns: number,
): Line {
  const who = role ?? '-'
  const from = part === 'message' ? '' : `  ${part}`
  const words = cut(summaryOf({ role, blocks }, part), Math.max(16, columns - 15 - who.length - from.length))
  return [
    styled(look, `${sign}${short(oid)}`),
    '  ',
    styled(lookOf(role), who),
    styled('dim', from),
    '  ',
    words,
  ]
}
