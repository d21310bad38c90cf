import { reflog, type Step } from '../../ops/reflog.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { count } from '../options.ts'
import { stepLine } from '../render/reflog.ts'

interface Options {
  readonly limit?: number
}

/** `sess reflog`: shows where a ref was before. */
export const define: Define = (command, act) => {
  command
    .argument('[ref]', 'a session, SESSION/BRANCH, SESSION/LABEL or SESSION/HEAD', '@')
    .option('-n, --limit <n>', 'show at most N moves', count)
    .addHelpText(
      'after',
      `
The newest move comes first. For a session: the moves of its current branch. Removed branches and sessions keep
their moves.`,
    )
    .action(
      act(async (call, ref: string, { limit }: Options) => {
        const { io, world } = call
        for await (const step of reflog(await call.repo(), ref, limit === undefined ? {} : { limit }))
          await (io.json
            ? io.data(dataOf(step))
            : io.print(
                ...stepLine(step, { owner: ownerIn(ref, step), columns: io.columns, zone: world.zone }),
              ))
      }),
    )
  examples(command, [
    ['sess reflog 3b1f', 'the moves of the current branch'],
    ['sess reflog 3b1f/at-1d9fca05 -n 3', 'the last 3 moves of another branch'],
  ])
}

/** Returns the session in what was typed. */
const ownerIn = (ref: string, { name }: Step): string =>
  ref.endsWith(`/${name}`) ? ref.slice(0, -name.length - 1) : ref

const dataOf = ({ entry, ...step }: Step): object => ({ ...step, text: entry?.text ?? null })
