import { FILTERS } from '../../model/graphfilter.ts'
import { forest, tree } from '../../ops/tree.ts'
import { graphEntrySchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { choice, count, flag, folder, option, optional, session } from '../parameters.ts'
import { printGraph } from '../render/graph.ts'

/** `sess tree`: draws sessions as trees. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  arguments: { session: optional(session(), 'its id, title, or a prefix of its id (@)') },
  options: {
    filter: option(choice(FILTERS, 'what'), 'what to draw besides forks and refs'),
    limit: option(count(), 'draw at most N entries', { short: 'n' }),
    all: flag('draw all sessions of this folder', { excludes: ['session'] }),
    cwd: option(folder(), 'draw the sessions of another folder', { excludes: ['session'] }),
    everywhere: flag('draw the sessions of all folders', { excludes: ['session'] }),
    ascii: flag('draw in ASCII'),
  },
  help: `The newest entry comes first. Stretches without forks are left out and counted (: 41 entries, 12 tools, 8.3k tok);
tokens are estimated. @ is where the session is, ● a prompt, ◆ a compaction, ○ any other entry.`,
  examples: [
    ['sess tree 3b1f', 'a session'],
    ['sess tree 3b1f --filter user-only', 'with all prompts'],
    ['sess tree --all', 'all sessions of this folder, with shared entries'],
    ['sess tree --everywhere -n 20 --ascii', 'the first 20 entries of all sessions, in ASCII'],
  ],
  output: output('A line for each entry that is drawn.', graphEntrySchema),
  run: async (call, { session: name, filter, all, cwd, everywhere, ...how }) => {
    const what = { filter: filter ?? call.config.value('tree.filter'), digits: call.io.colored }
    const repo = await call.repo()
    if (!all && !everywhere && cwd === undefined) return printGraph(call, tree(repo, name ?? '@', what), how)
    const under = everywhere ? null : (cwd ?? call.platform.env.cwd)
    await printGraph(call, forest(repo, { ...what, cwd: under }), { ...how, headed: true })
  },
})
