import { renameSession } from '../../ops/rename.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { typed } from '../quoted.ts'
import { firstLine } from '../render/text.ts'

/** `sess rename`: gives a session another title. */
export const define: Define = (command, act) => {
  command
    .argument('<session>', 'its id, title, or a prefix of its id')
    .argument('<title>', 'the new title; an empty one clears it')
    .addHelpText('after', '\nA later import of the source keeps your title.')
    .action(
      act(async (call, session: string, title: string) => {
        const { io } = call
        const done = await renameSession(await call.repo(), session, title)
        if (io.json) {
          await io.data(done)
          return
        }
        const was = done.before === null ? '' : ` (was "${firstLine(done.before)}")`
        await io.print(
          done.title === null
            ? `Session ${done.session} has no title now${was}`
            : `Session ${done.session} is "${firstLine(done.title)}" now${was}`,
        )
        if (done.before !== done.title)
          await io.note(`go back with: sess rename ${typed(done.session, done.before ?? '')}`)
      }),
    )
  examples(command, [
    ["sess rename 3b1f 'Tide table one hour off'", 'set a title'],
    ["sess rename 3b1f ''", 'clear the title'],
  ])
}
