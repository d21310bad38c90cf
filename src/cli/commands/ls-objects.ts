import { listObjects } from '../../ops/lsobjects.ts'
import { arrayOf, described, integer, object, string } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { flag } from '../parameters.ts'

/** `sess ls-objects`: lists every entry of the store. */
export const command = defineCommand({
  effect: 'read',
  options: {
    dangling: flag('only entries that no branch, label or HEAD reaches'),
    size: flag('print the bytes of each body too'),
    z: flag('end lines with NUL'),
  },
  help: 'Each line is an oid, a type, the number of parents and, with --size, the number of bytes. Parents come first.',
  examples: [
    ['sess ls-objects', 'every entry of the store'],
    ['sess ls-objects --dangling', 'what a deleted branch left, for example'],
  ],
  output: output(
    'A line for each entry.',
    object(
      { oid: oidSchema, parents: arrayOf(oidSchema), type: string },
      { size: described('bytes of its body', integer) },
    ),
  ),
  run: async (call, { dangling, size, z }, out) => {
    for await (const one of listObjects(await call.repo(), { dangling, size })) {
      const words = [one.oid, one.type, one.parents.length, ...(size ? [one.size] : [])]
      await out.record(words.join(' '), one, z)
    }
  },
})
