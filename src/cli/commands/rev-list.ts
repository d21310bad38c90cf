import { SessError } from '../../model/errors.ts'
import type { Place } from '../../ops/objects.ts'
import { revCount, revList } from '../../ops/revlist.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { count as whole } from '../options.ts'

interface Options {
  readonly all?: boolean
  readonly count?: boolean
  readonly reverse?: boolean
  readonly maxCount?: number
  readonly firstParent?: boolean
  readonly parents?: boolean
  readonly z?: boolean
}

/** `sess rev-list`: gives the oids that revisions reach. */
export const define: Define = (command, act) => {
  command
    .argument('[revision...]', 'sessions, entries, ranges A..B or A...B, and ^A to exclude')
    .option('--all', 'start at every branch, label and HEAD of every session')
    .option('--count', 'print only the number')
    .option('--reverse', 'print oldest first')
    .option('-n, --max-count <n>', 'print at most N, newest first', whole)
    .option('--first-parent', 'follow only the first parent of a merge')
    .option('--parents', 'print the oids of the parents, too')
    .option('-z', 'end lines with NUL')
    .addHelpText('after', '\nChildren are listed before their parents. Bodies are not read.')
    .action(
      act(async (call, revisions: string[], options: Options) => {
        const { all = false, firstParent = false, maxCount: limit, z } = options
        if (revisions.length === 0 && !all)
          throw new SessError('bad-usage', 'no revision was named', {
            hint: "type 'sess rev-list SESSION', or 'sess rev-list --all'",
          })
        const { io } = call
        const how = { all, firstParent, ...(limit === undefined ? {} : { limit }) }
        const repo = await call.repo()
        if (options.count) {
          const count = await revCount(repo, revisions, how)
          await io.record(String(count), { count }, z)
          return
        }
        const places = revList(repo, revisions, how)
        const give = ({ oid, parents }: Place): Promise<void> | undefined =>
          options.parents
            ? io.record([oid, ...parents].join(' '), { oid, parents }, z)
            : io.record(oid, { oid }, z)
        for await (const place of options.reverse ? await reversed(places) : places) await give(place)
      }),
    )
  examples(command, [
    ['sess rev-list 3b1f', 'the oids of the path of a session'],
    ['sess rev-list 3b1f..c7d0', 'entries of a fork that its origin lacks'],
    ['sess rev-list --all --count', 'count the reachable entries'],
  ])
}

async function reversed(places: AsyncIterable<Place>): Promise<Place[]> {
  const all: Place[] = []
  for await (const place of places) all.push(place)
  return all.reverse()
}
