import { EXIT } from '../../model/errors.ts'
import { fsck } from '../../ops/fsck.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { fsckLines } from '../render/fsck.ts'

/** `sess fsck`: checks all of the store. */
export const define: Define = (command, act) => {
  command.addHelpText('after', `\nWhere something is damaged the exit code is ${EXIT.corrupt}.`).action(
    act(async (call) => {
      const { io } = call
      const found = await fsck(await call.repo({ tolerant: true }))
      if (!found.ok) call.status = EXIT.corrupt
      if (io.json) await io.data(found)
      else for (const line of fsckLines(found)) await io.print(...line)
    }),
  )
  examples(command, [
    ['sess fsck', 'read and compare everything'],
    ['sess fsck --json', 'what is wrong, as data'],
  ])
}
