import { EXIT } from '../../model/errors.ts'
import { fsck } from '../../ops/fsck.ts'
import { reindex } from '../../ops/index.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { during, type Step } from '../progress.ts'
import { fsckLines } from '../render/fsck.ts'
import { counted } from '../render/text.ts'

interface Options {
  readonly rebuild?: boolean
}

/** `sess fsck`: checks all of the store. */
export const define: Define = (command, act) => {
  command
    .option('--rebuild', 'first make anew what searches look things up in')
    .addHelpText('after', `\nWhere something is damaged the exit code is ${EXIT.corrupt}.`)
    .action(
      act(async (call, { rebuild = false }: Options) => {
        const { io } = call
        const repo = await call.repo({ tolerant: true })
        if (rebuild) await reindex(repo)
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
    ['sess fsck --rebuild', 'make the index of words anew, then check'],
    ['sess fsck --json', 'what is wrong, as data'],
  ])
}
