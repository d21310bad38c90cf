import { parseRevision, revParse } from '../../verbs/rev-parse.ts'
import { defineCommand } from '../define.ts'
import { flag } from '../parameters.ts'
import { outputOf } from '../present.ts'

const { revision, short } = revParse.input

/** `sess rev-parse`: prints the oids of revisions. */
export const command = defineCommand({
  effect: revParse.effect,
  arguments: { revision },
  options: { short, z: flag('end lines with NUL') },
  examples: [
    ['sess rev-parse 3b1f', 'the oid of the current entry of a session'],
    ['sess rev-parse --short 3b1f/main 3b1f~2', 'several, in short'],
  ],
  output: outputOf('A line for each revision.', revParse.output),
  run: async (call, { revision: revisions, short: isShort, z }, out) => {
    const context = await call.context()
    for (const name of revisions) {
      const parsed = await parseRevision(context, name, isShort)
      await out.record(parsed.short ?? parsed.oid, parsed, z)
    }
  },
})
