import { baseSchema, mergeBase } from '../../verbs/merge-base.ts'
import { sharedBase } from '../../verbs/shared-base.ts'
import { defineCommand, output } from '../define.ts'
import { EXIT } from '../exitcodes.ts'
import { flag } from '../parameters.ts'
import { sharedText } from '../render/shared.ts'

/** `sess merge-base`: prints the best common ancestor of two revisions. */
export const command = defineCommand({
  effect: mergeBase.effect,
  arguments: mergeBase.input,
  options: { z: flag('end the line with NUL') },
  help: `If there is no common ancestor, nothing is printed and the exit code is 1; branches of the two sessions that have one are
named on standard error.`,
  examples: [
    ['sess merge-base 3b1f c7d0', 'the last common entry of a fork and its origin'],
    ['sess merge-base 3b1f/main 3b1f/at-1d9fca05', 'the last common entry of two branches'],
  ],
  output: output('One object; nothing if there is none.', baseSchema),
  run: async (call, { z, ...input }, out) => {
    const context = await call.context()
    const base = await mergeBase.run(context, input)
    if (base === null) {
      call.status = EXIT.user
      const shared = await sharedBase.run(context, input)
      if (shared && !call.io.json) await call.io.note(sharedText(shared, 'merge-base'))
    } else await out.record(base, { oid: base }, z)
  },
})
