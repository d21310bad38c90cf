import { Option } from 'commander'
import { asString, field } from '../../model/json.ts'
import { short } from '../../model/oid.ts'
import { type Merged, type MergeOptions, merge, type Settled } from '../../ops/merge.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { placeLine } from '../render/brought.ts'
import { counted, firstLine } from '../render/text.ts'

interface Options extends Omit<MergeOptions, 'forward'> {
  readonly ff: boolean
  readonly ffOnly?: boolean
}

/** `sess merge`: brings all that another branch has said to a branch. */
export const define: Define = (command, act) => {
  command
    .argument('<revision>', 'a branch or an entry')
    .option('--into <branch>', 'the branch that it is merged into: session/branch, or one of the session')
    .option('--session <session>', 'the session (@)')
    .option('--summary <text>', 'what the model is to see instead of the entries')
    .addOption(new Option('--ff-only', 'move the branch forward, or do nothing').conflicts(['ff', 'summary']))
    .option('--no-ff', 'make an entry also where the branch could move forward')
    .addHelpText(
      'after',
      '\nA branch that has nothing of its own moves forward. Else an entry with both as its parents makes the\n' +
        'model see, behind the path of the branch, what only the other side has. Model, thinking level and mode\n' +
        'stay as they are. Bare names mean branches of the session first.',
    )
    .action(
      act(async (call, revision: string, { ff, ffOnly, ...options }: Options) => {
        const { io } = call
        const forward = ffOnly ? 'only' : ff ? 'auto' : 'never'
        const done = await merge(await call.repo(), revision, { ...options, forward })
        if (io.json) {
          await io.data(done)
          return
        }
        await io.print(`${told(done)}: `, ...placeLine(done))
        for (const one of done.settled) await io.print(`  ${settledText(one)}`)
        if (done.change === 'up-to-date') return
        await io.note('go back with: sess undo')
      }),
    )
  examples(command, [
    ['sess merge --session 3b1f at-4aa71938', 'let the model see what another branch has said'],
    ["sess merge --session 3b1f at-4aa71938 --summary 'luxon works too'", 'or what came of it'],
  ])
}

function told({ change, other, entries }: Merged): string {
  const count = counted(entries, 'entry', 'entries')
  switch (change) {
    case 'up-to-date':
      return `Up to date with ${short(other)}`
    case 'fast-forward':
      return `Moved forward by ${count}`
    case 'merged':
      return `Merged ${count} of ${short(other)}`
  }
}

const settledText = ({ setting, kept, other }: Settled): string =>
  `${setting === 'thinking' ? 'thinking level' : setting} stays ${valueText(kept)} (there: ${valueText(other)})`

const valueText = (value: Settled['kept']): string =>
  firstLine(asString(value) ?? asString(field(value, 'id')) ?? 'unset')
