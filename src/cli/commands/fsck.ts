import { EXIT } from '../../model/errors.ts'
import { fsck } from '../../ops/fsck.ts'
import { reindex } from '../../ops/index.ts'
import { relink } from '../../ops/relink.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { during, type Step } from '../progress.ts'
import { fsckLines } from '../render/fsck.ts'
import { graftLines } from '../render/graft.ts'
import { counted } from '../render/text.ts'

interface Options {
  readonly rebuild?: boolean
  readonly relink?: boolean
}

/** `sess fsck`: checks all of the store. */
export const define: Define = (command, act) => {
  command
    .option('--rebuild', 'first make anew what searches look things up in')
    .option('--relink', 'first join entries that lack their parent to a session that has it')
    .addHelpText('after', `\nWhere something is damaged the exit code is ${EXIT.corrupt}.`)
    .action(
      act(async (call, { rebuild = false, relink: links = false }: Options) => {
        const { io } = call
        const repo = await call.repo({ tolerant: true })
        if (rebuild) await reindex(repo)
        const grafts = links ? await relink(repo) : []
        let done: readonly [entries: number, sessions: number] = [0, 0]
        const step = (): Step => ({
          text: `checking: ${counted(done[0], 'entry', 'entries')}, ${counted(done[1], 'session')}`,
        })
        const onProgress = (...now: typeof done): void => {
          done = now
        }
        const found = await during(call, step, () => fsck(repo, { onProgress }))
        if (!found.ok) call.status = EXIT.corrupt
        if (io.json) await io.data({ ...found, ...(links && { grafts }) })
        else {
          for (const line of [...graftLines(grafts), ...fsckLines(found)]) await io.print(...line)
          if (grafts.some(({ parent }) => parent !== null)) await io.note('go back with: sess undo')
        }
      }),
    )
  examples(command, [
    ['sess fsck', 'read and compare everything'],
    ['sess fsck --rebuild', 'make the index of words anew, then check'],
    ['sess fsck --relink', 'join what lacks its parent to the session that has it'],
    ['sess fsck --json', 'what is wrong, as data'],
  ])
}
