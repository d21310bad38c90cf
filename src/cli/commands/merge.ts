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

/** `sess merge`: merges another branch into a branch. */
export const define: Define = (command, act) => {
  command
    .argument('<revision>', 'a branch or an entry')
    .option('--into <branch>', 'the target branch: SESSION/BRANCH, or a branch of the session')
    .option('--session <session>', 'the session (@)')
    .option('--summary <text>', 'a summary that the model sees instead of the entries')
    .addOption(new Option('--ff-only', 'fast-forward, or fail').conflicts(['ff', 'summary']))
    .option('--no-ff', 'create a merge entry even if a fast-forward is possible')
    .addHelpText(
      'after',
      `
A branch without entries of its own is fast-forwarded. Otherwise a merge entry with both parents is added: the model
sees the path of the branch, followed by what only the other side has. Model, thinking level and mode do not change.
A bare name is first looked up among the branches of the session.`,
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
    ['sess merge --session 3b1f at-1d9fca05', 'merge a branch'],
    ["sess merge --session 3b1f at-1d9fca05 --summary 'luxon works too'", 'merge a summary of it'],
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
