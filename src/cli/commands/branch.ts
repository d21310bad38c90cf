import { short } from '../../model/encoding/oid.ts'
import { defined } from '../../model/json.ts'
import { typed } from '../../text/shellwords.ts'
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
import { branch } from '../../verbs/branch.ts'
import { branchDelete } from '../../verbs/branch-delete.ts'
import { branchRename } from '../../verbs/branch-rename.ts'
import { branches as branchesVerb } from '../../verbs/branches.ts'
import { anyOf } from '../../verbs/schema.ts'
import type { BranchDetail, ListedBranch } from '../../verbs/types.ts'
import { defineCommand, output } from '../define.ts'
import { branch as branchName, option, optional, text } from '../parameters.ts'
import { answerOf, schemaOfEach } from '../present.ts'
import { placeText } from '../render/moves.ts'

const { session, start } = branch.input

/** `sess branch`: lists, creates, deletes or renames branches. */
export const command = defineCommand({
  effect: branch.effect,
  paged: true,
  arguments: { session, name: optional(text('name'), 'the new branch; with -m the new name'), start },
  options: {
    verbose: { ...branchesVerb.input.verbose, short: 'v' },
    delete: option(branchName(), branchDelete.summary, { short: 'd', excludes: ['name', 'move'] }),
    move: option(branchName(), branchRename.summary, { short: 'm', needs: 'name', excludes: ['start'] }),
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
    anyOf(schemaOfEach(branchesVerb), branch.output.schema, branchDelete.output.schema),
  ),
  run: async (call, { session: owner, name, start: at, verbose, delete: gone, move }) => {
    const context = await call.context()
    if (gone !== undefined) {
      const deleted = await branchDelete.run(context, { session: owner, branch: gone })
      const was = short(deleted.oid)
      return answerOf(branchDelete, deleted, {
        render: () => [[`${did(call, 'Deleted')} branch ${deleted.name} (was ${was})`]],
        back: `sess branch ${typed(owner, deleted.name, was)}`,
      })
    }
    if (move !== undefined && name !== undefined) {
      const moved = await branchRename.run(context, { session: owner, branch: move, name })
      return answerOf(branchRename, moved, {
        render: () => [[`${did(call, 'Renamed')} branch ${move} to ${moved.name}`]],
        back: `sess branch -m ${typed(moved.name, owner, move)}`,
      })
    }
    if (name !== undefined) {
      const made = await branch.run(context, { session: owner, name, ...defined({ start: at }) })
      return answerOf(branch, made, {
        render: () => [[`${did(call, 'Created')} branch ${made.name} at ${short(made.oid)}`]],
      })
    }
    const found = await branchesVerb.run(context, { session: owner, verbose })
    const { head, tip } = found
    return answerOf(branchesVerb, found, {
      render: () => (verbose ? branchTable(found.branches, call.display) : branchLines(found.branches)),
      notes: !('branch' in head) || tip === null ? [`current position: ${placeText(head, tip)}`] : [],
    })
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
