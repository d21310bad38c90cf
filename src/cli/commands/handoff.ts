import { handoff } from '../../ops/handoff.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { safe } from '../safe.ts'
import { SUMMARIES, type Summarizing, summaryFrom, withSummaries } from '../summarizing.ts'

/** `sess handoff`: tells a new session what to go on with. */
export const define: Define = (command, act) => {
  command
    .argument('<goal>', 'the task of the new session')
    .argument('[revision]', 'a session or an entry', '@')
  withSummaries(command)
    .addHelpText(
      'after',
      `
Prints markdown: the goal, the source session, the passages that share words with the goal, and a summary of the
session. Edit it and give it to a new session. Nothing is written to the store.

${SUMMARIES}
It gets the goal, too.`,
    )
    .action(
      act(async (call, goal: string, revision: string, options: Summarizing) => {
        const { io } = call
        const made = await handoff(await call.repo(), goal, revision, await summaryFrom(call, options))
        if (io.json) await io.data(made)
        else await io.text(safe(made.text).replace(/\n$/, ''))
      }),
    )
  examples(command, [
    ['sess handoff "finish the test" 3b1f > handoff.md', 'write a briefing'],
    ['sess handoff "pin luxon" 3b1f/at-1d9fca05 --summarize "tail -n 9"', 'let a program summarize'],
  ])
}
