import { lsObjects } from '../../verbs/ls-objects.ts'
import { defineCommand } from '../define.ts'
import { flag } from '../parameters.ts'
import { outputOf } from '../present.ts'

const { dangling, size } = lsObjects.input

/** `sess ls-objects`: lists every entry of the store. */
export const command = defineCommand({
  effect: lsObjects.effect,
  options: { dangling, size, z: flag('end lines with NUL') },
  help: 'Each line is an oid, a type, the number of parents and, with --size, the number of bytes. Parents come first.',
  examples: [
    ['sess ls-objects', 'every entry of the store'],
    ['sess ls-objects --dangling', 'what a deleted branch left, for example'],
  ],
  output: outputOf('A line for each entry.', lsObjects.output),
  run: async (call, { z, ...input }, out) => {
    for await (const one of lsObjects.items(await call.context(), input)) {
      const words = [one.oid, one.type, one.parents.length, ...(input.size ? [one.size] : [])]
      await out.record(words.join(' '), one, z)
    }
  },
})
