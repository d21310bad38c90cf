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
      '\nThe newest comes first. Of a session: the branch that it stands on. Branches and sessions that are no\n' +
        'more have their moves still.',
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
    ['sess reflog 3b1f', 'where the branch was that a session stands on'],
    ['sess reflog 3b1f/at-4aa71938 -n 3', 'the last 3 moves of another one'],
  ])
}

/** Gives the session in what was typed. */
const ownerIn = (ref: string, { name }: Step): string =>
  ref.endsWith(`/${name}`) ? ref.slice(0, -name.length - 1) : ref

const dataOf = ({ entry, ...step }: Step): object => ({ ...step, text: entry?.text ?? null })
