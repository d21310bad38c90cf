import { EXIT } from '../../model/errors.ts'
import { fsck } from '../../ops/fsck.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { during, type Step } from '../progress.ts'
import { fsckLines } from '../render/fsck.ts'
import { counted } from '../render/text.ts'

/** `sess fsck`: checks all of the store. */
export const define: Define = (command, act) => {
  command.addHelpText('after', `\nWhere something is damaged the exit code is ${EXIT.corrupt}.`).action(
    act(async (call) => {
      const { io } = call
      const repo = await call.repo({ tolerant: true })
      let done: readonly [entries: number, sessions: number] = [0, 0]
      const step = (): Step => ({
        text: `checking: ${counted(done[0], 'entry', 'entries')}, ${counted(done[1], 'session')}`,
      })
      const onProgress = (...now: typeof done): void => {
        done = now
      }
      const found = await during(call, step, () => fsck(repo, { onProgress }))
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
