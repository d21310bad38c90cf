import { EXIT } from '../../model/errors.ts'
import { mergeBaseOf } from '../../ops/diff.ts'
import type { Define } from '../call.ts'

/** `sess merge-base`: gives the best common ancestor of two revisions. */
export const define: Define = (command, act) => {
  command
    .argument('<a>', 'a session or an entry')
    .argument('<b>', 'another')
    .addHelpText('after', '\nWhere there is none, nothing is printed and the exit code is 1.')
    .action(
      act(async (call, a: string, b: string) => {
        const oid = await mergeBaseOf(await call.repo(), a, b)
        if (oid === null) call.status = EXIT.user
        else await (call.io.json ? call.io.data({ oid }) : call.io.print(oid))
      }),
    )
}
