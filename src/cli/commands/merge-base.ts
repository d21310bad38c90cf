import { mergeBaseOf } from '../../ops/diff.ts'
import { object } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { EXIT } from '../exitcodes.ts'
import { flag, required, revision } from '../parameters.ts'

/** `sess merge-base`: prints the best common ancestor of two revisions. */
export const command = defineCommand({
  effect: 'read',
  arguments: { a: required(revision(), 'a session or an entry'), b: required(revision(), 'another') },
  options: { z: flag('end the line with NUL') },
  help: 'If there is no common ancestor, nothing is printed and the exit code is 1.',
  examples: [
    ['sess merge-base 3b1f c7d0', 'the last common entry of a fork and its origin'],
    ['sess merge-base 3b1f/main 3b1f/at-1d9fca05', 'the last common entry of two branches'],
  ],
  output: output('One object; nothing if there is none.', object({ oid: oidSchema })),
  run: async (call, { a, b, z }, out) => {
    const base = await mergeBaseOf(await call.repo(), a, b)
    if (base === null) call.status = EXIT.user
    else await out.record(base, { oid: base }, z)
  },
})
