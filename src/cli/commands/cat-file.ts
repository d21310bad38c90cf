import { catFile } from '../../ops/show.ts'
import type { Define } from '../call.ts'

/** `sess cat-file`: gives an entry as JSON. */
export const define: Define = (command, act) => {
  command
    .argument('<revision>', 'a session or an entry')
    .addHelpText('after', '\nThe line is what sess export writes: {"oid","parents","type","body","links"}.')
    .action(
      act(async (call, revision: string) => {
        await call.io.data(await catFile(await call.repo(), revision))
      }),
    )
}
