import { resolve } from 'node:path'
import { Option } from 'commander'
import { SessError } from '../../model/errors.ts'
import { FILTERS, type GraphFilter } from '../../model/filter.ts'
import { forest, tree } from '../../ops/tree.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { type GraphOptions, printGraph } from '../graph.ts'
import { count } from '../options.ts'

interface Options extends GraphOptions {
  readonly filter?: GraphFilter
  readonly all?: boolean
  readonly cwd?: string
  readonly everywhere?: boolean
}

/** `sess tree`: draws sessions as trees. */
export const define: Define = (command, act) => {
  command
    .argument('[session]', 'its id, title, or a prefix of its id (@)')
    .addOption(new Option('--filter <what>', 'what to draw besides forks and refs').choices(FILTERS))
    .option('-n, --limit <n>', 'draw at most N entries', count)
    .option('--all', 'draw all sessions of this folder')
    .option('--cwd <dir>', 'draw the sessions of another folder')
    .option('--everywhere', 'draw the sessions of all folders')
    .option('--ascii', 'draw in ASCII')
    .addHelpText(
      'after',
      `
The newest entry comes first. Stretches without forks are left out and counted (: 41 entries, 12 tools, 8.3k tok);
tokens are estimated. @ is where the session is, ● a prompt, ◆ a compaction, ○ any other entry.`,
    )
    .action(
      act(async (call, session: string | undefined, options: Options) => {
        const { all, cwd, everywhere, ...how } = options
        const filter = options.filter ?? call.config.value('tree.filter')
        const what = { filter, digits: call.io.colored }
        const repo = await call.repo()
        const many = all || everywhere || cwd !== undefined
        if (!many) return printGraph(call, tree(repo, session ?? '@', what), how)
        if (session !== undefined)
          throw new SessError(
            'bad-usage',
            `one session or several: not both '${session}' and a folder of them`,
            {
              hint: "type 'sess help tree' to see how it is used",
            },
          )
        const folder = everywhere ? null : resolve(call.world.env.cwd, cwd ?? '.')
        await printGraph(call, forest(repo, { ...what, cwd: folder }), { ...how, headed: true })
      }),
    )
  examples(command, [
    ['sess tree 3b1f', 'a session'],
    ['sess tree 3b1f --filter user-only', 'with all prompts'],
    ['sess tree --all', 'all sessions of this folder, with shared entries'],
    ['sess tree --everywhere -n 20 --ascii', 'the first 20 entries of all sessions, in ASCII'],
  ])
}
