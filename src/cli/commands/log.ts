import { Option } from 'commander'
import { FILTERS, type Filter } from '../../model/filter.ts'
import { log } from '../../ops/log.ts'
import { logGraph } from '../../ops/loggraph.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { printGraph } from '../graph.ts'
import { count } from '../options.ts'
import { entryData, entryLine } from '../render/entry.ts'
import { branchNames } from '../render/names.ts'

interface Options {
  readonly limit?: number
  readonly all?: boolean
  readonly graph?: boolean
  readonly filter?: Filter
  readonly ascii?: boolean
}

/** `sess log`: shows what was said. */
export const define: Define = (command, act) => {
  command
    .argument('[revision]', 'a session, an entry, or a range A..B or A...B', '@')
    .option('-n, --limit <n>', 'show at most N entries', count)
    .option('--all', 'show each entry of all branches of the session once')
    .option('--graph', 'draw lines from each entry to those that it continues')
    .addOption(new Option('--filter <what>', 'draw a graph of less').choices(FILTERS))
    .option('--ascii', 'draw a graph with ASCII characters alone')
    .addHelpText(
      'after',
      '\nChildren come before parents. Without a revision: the latest session of this folder.',
    )
    .action(
      act(async (call, revision: string, { graph, filter, ascii, limit, all = false }: Options) => {
        const { io, world } = call
        const repo = await call.repo()
        const limited = limit === undefined ? {} : { limit }
        if (graph || filter || ascii)
          return printGraph(
            call,
            logGraph(repo, revision, { all, digits: io.colored, ...(filter && { filter }) }),
            {
              ...limited,
              ...(ascii && { ascii }),
            },
          )
        const entries = log(repo, revision, { all, ...limited })
        if (io.json) {
          for await (const entry of entries) await io.data(entryData(entry))
          return
        }
        let names: ReadonlyMap<string, string> | undefined
        for await (const entry of entries) {
          names ??= await branchNames(repo, entry.session)
          await io.print(...entryLine(entry, { columns: io.columns, zone: world.zone, names }))
        }
      }),
    )
  examples(command, [
    ['sess log 3b1f -n 5', 'the newest five entries of a session'],
    ['sess log "Slow forecast for Brest"', 'by its title'],
    ['sess log c7d0..3b1f', 'what one has and the other has not'],
    ['sess log 3b1f --all --graph', 'all branches of a session, and where they part'],
  ])
}
