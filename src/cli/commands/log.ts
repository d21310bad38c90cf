import { FILTERS } from '../../model/filter.ts'
import { logGraph } from '../../ops/log/loggraph.ts'
import { log } from '../../ops/log.ts'
import { select, selectGraph } from '../../ops/select.ts'
import { defineCommand, output } from '../define.ts'
import { entrySchema, graphEntrySchema } from '../outputs.ts'
import { flag, option, optional } from '../parameters.ts'
import { printGraph } from '../render/graph.ts'
import { namesBySession } from '../render/names.ts'
import { anyOf } from '../schema.ts'
import { ENTRIES } from '../template/entry.ts'
import { printerOf, TEMPLATE_OPTIONS } from '../template/printer.ts'
import { choice, count, revision, revset } from '../values.ts'

/** `sess log`: shows entries, newest first. */
export const command = defineCommand({
  name: 'log',
  group: 'inspect',
  summary: 'show the entries of a session, newest first',
  effect: 'read',
  paged: true,
  arguments: {
    revision: optional(revision(), 'a session, an entry, or a range A..B or A...B (@)'),
  },
  options: {
    limit: option(count(), 'show at most N entries', { short: 'n' }),
    all: flag('show all branches of the session'),
    revset: option(revset(), 'show the entries of a revset: see sess help revsets', { short: 'r' }),
    everywhere: flag('search all sessions', { excludes: ['revision'] }),
    graph: flag('draw the graph', { excludes: ['template', 'format'] }),
    filter: option(choice(FILTERS, 'what'), 'draw a reduced graph', {
      excludes: ['revset', 'everywhere', 'template', 'format'],
    }),
    ascii: flag('draw the graph in ASCII', { excludes: ['template', 'format'] }),
    ...TEMPLATE_OPTIONS,
  },
  help: 'Children are listed before their parents. Without a revision: the latest session of this folder.',
  examples: [
    ["sess log 3b1f -r 'tool(bash) & failed()'", 'failed shell commands'],
    ["sess log --everywhere -r 'role(user) & since(2w)'", 'your prompts of the last two weeks'],
    ['sess log 3b1f -n 5', 'the newest five entries'],
    ['sess log "Slow forecast for Brest"', 'by its title'],
    ['sess log c7d0..3b1f', 'entries of one that the other lacks'],
    ['sess log 3b1f --all --graph', 'all branches of a session, as a graph'],
    ["sess log 3b1f --graph -r 'heads() | forks()'", 'only fork points and tips'],
  ],
  output: output('A line for each entry; with --graph with its edges.', anyOf(entrySchema, graphEntrySchema)),
  run: async (call, { revision: name, all, graph, filter, ascii, ...options }) => {
    const { limit, revset: expression, everywhere } = options
    const most = limit === undefined ? {} : { limit }
    const repo = await call.repo()
    const isSelected = expression !== undefined || everywhere
    const selection = {
      zone: call.world.zone,
      ...(name === undefined ? { everywhere } : { session: name }),
      ...most,
    }
    if (graph || filter || ascii) {
      const digits = call.io.colored
      const drawing = isSelected
        ? selectGraph(repo, expression ?? 'all()', { ...selection, digits })
        : logGraph(repo, name ?? '@', { all, digits, ...(filter && { filter }) })
      await printGraph(call, drawing, { ...most, ascii })
      return
    }
    const print = printerOf(call, options, ENTRIES, 'oneline')
    const names = namesBySession(repo)
    const entries = isSelected
      ? select(repo, expression ?? 'all()', selection)
      : log(repo, name ?? '@', { all, ...most })
    for await (const entry of entries) await print(entry, await names(entry.session))
  },
})
