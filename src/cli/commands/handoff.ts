import { handoff } from '../../ops/handoff.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { safe } from '../safe.ts'
import { SUMMARIES, type Summarizing, summaryFrom, withSummaries } from '../summarizing.ts'

/** `sess handoff`: tells a new session what to go on with. */
export const define: Define = (command, act) => {
  command
    .argument('<goal>', 'what the new session is to do')
    .argument('[revision]', 'the session, or an entry of one', '@')
  withSummaries(command)
    .addHelpText(
      'after',
      '\nPrints markdown: the goal, where it comes from, what was said that has words in common with the goal, and\n' +
        `the session so far. Read it, change it, and give it to a new session. Changes nothing.\n\n${SUMMARIES}\n` +
        'It gets the goal too.',
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
    ['sess handoff "finish the test" 3b1f > handoff.md', 'write down what the next session needs'],
    ['sess handoff "pin luxon" 3b1f/at-4aa71938 --summarize "tail -n 9"', 'have a program write it'],
  ])
}
