import { cherryPick, type PickOptions } from '../../ops/cherrypick.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { broughtLines, placeLine } from '../render/brought.ts'
import { counted } from '../render/text.ts'

/** `sess cherry-pick`: says entries of elsewhere again at the end of a branch. */
export const define: Define = (command, act) => {
  command
    .argument('<revision...>', 'entries, or ranges A..B')
    .option('--onto <branch>', 'the target branch: SESSION/BRANCH, or a branch of the session')
    .option('--session <session>', 'the target session (@)')
    .option('--skip-present', 'skip entries that are already there')
    .addHelpText(
      'after',
      `
Entries are appended in the order given, those of a range in the order of the range. A tool call brings its result,
and a result its call. A bare name is first looked up among the branches of the session.`,
    )
    .action(
      act(async (call, revisions: string[], options: PickOptions) => {
        const { io } = call
        const done = await cherryPick(await call.repo(), revisions, options)
        if (io.json) {
          await io.data(done)
          return
        }
        const { map, along, skipped } = done
        await io.print(`Picked ${counted(map.length, 'entry', 'entries')} onto `, ...placeLine(done))
        for (const line of broughtLines(done)) await io.print(...line)
        if (along.length > 0)
          await io.print(`${along.length} of them came along, to keep tool calls with results`)
        if (skipped.length > 0)
          await io.print(`Left out ${counted(skipped.length, 'entry', 'entries')}: there already`)
        if (done.before !== done.tip) await io.note('go back with: sess undo')
      }),
    )
  examples(command, [
    ['sess cherry-pick --session 3b1f at-1d9fca05', 'append the newest entry of another branch'],
    ['sess cherry-pick 3b1f/main..c7d0/main --onto 3b1f/main', 'append what a fork added since'],
  ])
}
