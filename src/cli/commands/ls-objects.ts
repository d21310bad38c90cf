import { listObjects } from '../../ops/objects.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'

interface Options {
  readonly dangling?: boolean
  readonly size?: boolean
  readonly z?: boolean
}

/** `sess ls-objects`: lists the entries of the store. */
export const define: Define = (command, act) => {
  command
    .option('--dangling', 'only entries that no branch, label or HEAD reaches')
    .option('--size', 'print the bytes of each body too')
    .option('-z', 'end lines with NUL')
    .addHelpText(
      'after',
      '\nEach line is an oid, a type, the number of parents and, with --size, the number of bytes. Parents come first.',
    )
    .action(
      act(async (call, { dangling = false, size = false, z }: Options) => {
        for await (const object of listObjects(await call.repo(), { dangling, size })) {
          const { oid, type, parents } = object
          const line = [oid, type, parents.length, ...(size ? [object.size] : [])].join(' ')
          await call.io.record(line, object, z)
        }
      }),
    )
  examples(command, [
    ['sess ls-objects', 'every entry of the store'],
    ['sess ls-objects --dangling', 'what a removed branch left behind, for one'],
  ])
}
