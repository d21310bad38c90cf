import { revParse, shortOid } from '../../ops/revparse.ts'
import { object, string } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { atLeastOne, flag, revision } from '../parameters.ts'

/** `sess rev-parse`: prints the oids of revisions. */
export const command = defineCommand({
  effect: 'read',
  arguments: { revision: atLeastOne(revision(), 'sessions or entries') },
  options: {
    short: flag('print the shortest unique prefix, at least 10 digits'),
    z: flag('end lines with NUL'),
  },
  examples: [
    ['sess rev-parse 3b1f', 'the oid of the current entry of a session'],
    ['sess rev-parse --short 3b1f/main 3b1f~2', 'several, in short'],
  ],
  output: output('A line for each revision.', object({ oid: oidSchema }, { short: string })),
  run: async (call, { revision: revisions, short, z }, out) => {
    const repo = await call.repo()
    for (const name of revisions) {
      const found = await revParse(repo, name)
      const digits = short ? await shortOid(repo, found) : found
      await out.record(digits, { oid: found, ...(short && { short: digits }) }, z)
    }
  },
})
