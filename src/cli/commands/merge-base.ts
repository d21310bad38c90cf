import { EXIT } from '../../model/errors.ts'
import { mergeBaseOf } from '../../ops/diff.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'

interface Options {
  readonly z?: boolean
}

/** `sess merge-base`: gives the best common ancestor of two revisions. */
export const define: Define = (command, act) => {
  command
    .argument('<a>', 'a session or an entry')
    .argument('<b>', 'another')
    .option('-z', 'end the line with NUL')
    .addHelpText('after', '\nIf there is no common ancestor, nothing is printed and the exit code is 1.')
    .action(
      act(async (call, a: string, b: string, { z }: Options) => {
        const oid = await mergeBaseOf(await call.repo(), a, b)
        if (oid === null) call.status = EXIT.user
        else await call.io.record(oid, { oid }, z)
      }),
    )
  examples(command, [
    ['sess merge-base 3b1f c7d0', 'the last common entry of a fork and its origin'],
    ['sess merge-base 3b1f/main 3b1f/at-1d9fca05', 'the last common entry of two branches'],
  ])
}
