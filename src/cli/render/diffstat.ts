import type { Amount, Change, DiffStat } from '../../ops/diff/diffstat.ts'
import { styled } from '../style.ts'
import { baseLine } from './diff.ts'
import type { Line } from './line.ts'
import { counted, cut, firstLine, grouped, pad, padStart } from './text.ts'
import { widthOf } from './width.ts'

/** Longer names of tools are cut. */
const NAME = 28

/** Returns the sizes of both sides of a diff: in total, by role and by tool. */
export function statLines(
  { base, same, entries, messages, roles, tools }: DiffStat,
  { a, b }: { readonly a: string; readonly b: string },
): Line[] {
  const rows: (readonly [name: string, change: Change])[] = [
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
    ...(same === 0 ? [] : [[styled('dim', `${counted(same, 'entry', 'entries')} the same on both sides`)]]),
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

const amounts = ({ removed, added }: Change, part: keyof Amount): string[] => [
  `-${grouped(removed[part])}`,
  `+${grouped(added[part])}`,
]
