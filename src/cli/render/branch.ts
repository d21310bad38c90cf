import { short } from '../../model/oid.ts'
import type { Zone } from '../../model/when.ts'
import type { ListedBranch } from '../../ops/branch.ts'
import type { BranchDetail } from '../../ops/branchlist.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { firstLine, grouped, pad, padStart, rounded } from './text.ts'
import { age } from './time.ts'
import { widthOf } from './width.ts'

/** Returns branches as lines, the current one with a star, with the labels of their tips. */
export function branchLines(branches: readonly ListedBranch[]): Line[] {
  const width = Math.max(0, ...branches.map(({ name }) => widthOf(firstLine(name))))
  return branches.map(({ name, oid, current, labels }) => [
    styled(current ? 'green' : 'plain', `${current ? '*' : ' '} ${pad(firstLine(name), width)}`),
    '  ',
    styled('yellow', short(oid)),
    styled('cyan', labels.length === 0 ? '' : `  (label: ${labels.map(firstLine).join(', ')})`),
  ])
}

/** The columns of the table: `~` is before what is estimated. */
const COLUMNS: readonly (readonly [
  heading: string,
  cell: (branch: BranchDetail, look: BranchLook) => string,
])[] = [
  ['TIP', ({ oid }) => short(oid)],
  ['PARTS AT', ({ forkPoint }) => (forkPoint === null ? '' : short(forkPoint))],
  ['ENTRIES', ({ entries }) => grouped(entries)],
  ['MESSAGES', ({ figures }) => (figures ? grouped(figures.messages) : '')],
  [
    'TOKENS',
    ({ figures, estimated }) => (figures?.tokens ? rounded(figures.tokens.total) : `~${rounded(estimated)}`),
  ],
  ['COST', ({ figures }) => (typeof figures?.cost === 'number' ? `$${figures.cost.toFixed(2)}` : '')],
  ['LAST', ({ figures }, { now, zone }) => age(figures?.lastActivity ?? null, now, zone)],
]

interface BranchLook {
  readonly now: number
  readonly zone: Zone
}

/** Returns branches as a table of their own entries, the current one with a star. */
export function branchTable(branches: readonly BranchDetail[], times: BranchLook): Line[] {
  const names = ['', ...branches.map(({ name, current }) => `${current ? '*' : ' '} ${firstLine(name)}`)]
  const columns = COLUMNS.map(([heading, cell]) => [heading, ...branches.map((one) => cell(one, times))])
  const widths = [names, ...columns].map((cells) => Math.max(...cells.map(widthOf)))
  return names.map((name, i) => {
    const cells = columns.map((column, c) => padStart(column[i] ?? '', widths[c + 1] as number))
    const look = i === 0 ? 'dim' : branches[i - 1]?.current ? 'green' : 'plain'
    return [
      styled(look, pad(name, widths[0] as number)),
      styled(i === 0 ? 'dim' : 'plain', `  ${cells.join('  ')}`.trimEnd()),
    ]
  })
}
