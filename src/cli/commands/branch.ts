import { short } from '../../model/encoding/oid.ts'
import { createBranch, deleteBranch, type ListedBranch, renameBranch } from '../../ops/branch.ts'
import type { BranchDetail } from '../../ops/branchlist.ts'
import {
  costText,
  type Display,
  did,
  firstLine,
  grouped,
  type Line,
  rounded,
  styled,
  tableRows,
} from '../../text/text.ts'
import { age } from '../../text/time.ts'
import { pad, widthOf } from '../../text/width.ts'
import {
  anyOf,
  arrayOf,
  boolean,
  described,
  integer,
  nullable,
  object,
  oneOf,
  string,
} from '../../verbs/schema.ts'
import { oidSchema, timestamp, USAGE_TOTALS } from '../../verbs/wire.ts'
import { pricesIn } from '../config.ts'
import { defineCommand, output } from '../define.ts'
import { branch, current, flag, option, optional, revision, session, text } from '../parameters.ts'
import { placeText } from '../render/moves.ts'
import { typed } from '../shellwords.ts'

const branchSchema = object(
  {
    name: string,
    oid: oidSchema,
    current: boolean,
    labels: arrayOf(string),
    forkPoint: described(
      'where it parts from another branch, null if it begins at a root',
      nullable(oidSchema),
    ),
    entries: described('its own entries since then, like the following counts', integer),
    calls: integer,
    estimated: described('tokens', integer),
  },
  {
    figures: described(
      'with -v',
      object({
        messages: integer,
        ...USAGE_TOTALS,
        lastActivity: nullable(timestamp),
      }),
    ),
  },
)

/** `sess branch`: lists, creates, deletes or renames branches. */
export const command = defineCommand({
  effect: 'write',
  paged: true,
  arguments: {
    session: current(session(), 'its id, title, or a prefix of its id'),
    name: optional(text('name'), 'the new branch; with -m the new name'),
    start: optional(revision('start'), 'the entry that it starts at; the current entry by default'),
  },
  options: {
    verbose: flag('list with fork points, messages, tokens, cost and last activity', { short: 'v' }),
    delete: option(branch(), 'delete a branch; its entries stay', { short: 'd', excludes: ['name', 'move'] }),
    move: option(branch(), 'rename a branch', { short: 'm', needs: 'name', excludes: ['start'] }),
  },
  help: `With -v, ~ marks tokens that are estimated and a cost that is computed by the list prices of models, because no agent
recorded it.`,
  examples: [
    ['sess branch 3b1f', 'the branches of a session'],
    ['sess branch 3b1f -v', 'with what each has on its own'],
    ['sess branch 3b1f try 3b1f~4', 'create one at an earlier entry'],
    ['sess branch 3b1f -m try other', 'rename it'],
    ['sess branch 3b1f -d other', 'delete it'],
  ],
  output: output(
    'A line for each branch; one object where one is created, renamed (before: its old name) or deleted.',
    anyOf(
      branchSchema,
      object(
        {
          session: string,
          action: oneOf('create', 'rename'),
          name: string,
          oid: oidSchema,
          current: boolean,
        },
        { before: string },
      ),
      object({ deleted: string, oid: oidSchema }),
    ),
  ),
  run: async (call, { session: owner, name, start, verbose, delete: gone, move }) => {
    const repo = await call.repo()
    if (gone !== undefined) {
      const { name: deleted, oid: tip } = await deleteBranch(repo, owner, gone)
      return {
        data: { deleted, oid: tip },
        render: () => [[`${did(call, 'Deleted')} branch ${deleted} (was ${short(tip)})`]],
        back: `sess branch ${typed(owner, deleted, short(tip))}`,
      }
    }
    if (move !== undefined && name !== undefined) {
      const moved = await renameBranch(repo, owner, move, name)
      return {
        data: { ...moved, action: 'rename' as const },
        render: () => [[`${did(call, 'Renamed')} branch ${move} to ${moved.name}`]],
        back: `sess branch -m ${typed(moved.name, owner, move)}`,
      }
    }
    if (name !== undefined) {
      const made = await createBranch(repo, owner, name, start)
      return {
        data: { ...made, action: 'create' as const },
        render: () => [[`${did(call, 'Created')} branch ${made.name} at ${short(made.oid)}`]],
      }
    }
    const { branchList } = await import('../../ops/branchlist.ts')
    const { head, tip, branches } = await branchList(repo, owner, {
      figures: verbose,
      priceOf: pricesIn(call.config),
    })
    return {
      data: branches,
      render: () => (verbose ? branchTable(branches, call.display) : branchLines(branches)),
      notes: !('branch' in head) || tip === null ? [`current position: ${placeText(head, tip)}`] : [],
    }
  },
})

/** Returns branches as lines, the current one with a star, with the labels of their tips. */
function branchLines(branches: readonly ListedBranch[]): Line[] {
  const width = Math.max(0, ...branches.map(({ name }) => widthOf(firstLine(name))))
  return branches.map(({ name, oid, current: isCurrent, labels }) => [
    styled(isCurrent ? 'green' : 'plain', `${isCurrent ? '*' : ' '} ${pad(firstLine(name), width)}`),
    '  ',
    styled('yellow', short(oid)),
    styled('cyan', labels.length === 0 ? '' : `  (label: ${labels.map(firstLine).join(', ')})`),
  ])
}

/** The columns of the table: `~` is before what is estimated. */
const COLUMNS: readonly (readonly [
  heading: string,
  cell: (branch: BranchDetail, display: Display) => string,
])[] = [
  ['TIP', ({ oid }) => short(oid)],
  ['PARTS AT', ({ forkPoint }) => (forkPoint === null ? '' : short(forkPoint))],
  ['ENTRIES', ({ entries }) => grouped(entries)],
  ['MESSAGES', ({ figures }) => (figures ? grouped(figures.messages) : '')],
  [
    'TOKENS',
    ({ figures, estimated }) => (figures?.tokens ? rounded(figures.tokens.total) : `~${rounded(estimated)}`),
  ],
  [
    'COST',
    ({ figures }) => (typeof figures?.cost === 'number' ? costText(figures.cost, figures.computed > 0) : ''),
  ],
  ['LAST', ({ figures }, { now, zone }) => age(figures?.lastActivity ?? null, now, zone)],
]

/** Columns that are left out on a narrow terminal, in this order, until the table fits. */
const SPARE = ['MESSAGES', 'LAST', 'PARTS AT', 'TOKENS']

/** Returns branches as a table of their own entries, the current one with a star. */
function branchTable(branches: readonly BranchDetail[], display: Display): Line[] {
  const names = ['', ...branches.map((one) => `${one.current ? '*' : ' '} ${firstLine(one.name)}`)]
  const cells = COLUMNS.map(([heading, cell]) => [heading, ...branches.map((one) => cell(one, display))])
  return tableRows([names, ...cells], { columns: display.columns, spare: SPARE }).map(([name, others], i) => {
    const color = i === 0 ? 'dim' : branches[i - 1]?.current ? 'green' : 'plain'
    return [styled(color, name), styled(i === 0 ? 'dim' : 'plain', others)]
  })
}
