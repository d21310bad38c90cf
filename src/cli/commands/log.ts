import { defined } from '../../model/json.ts'
import { graphDrawing, graph as graphVerb } from '../../verbs/graph.ts'
import type { Input } from '../../verbs/input.ts'
import { log, namesOfEntries } from '../../verbs/log.ts'
import { anyOf } from '../../verbs/schema.ts'
import { defineCommand, output, withUsageHint } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { pageOptions, rowSchemaOf, rowsOf } from '../pageoptions.ts'
import { flag } from '../parameters.ts'
import { ENTRIES } from '../template/entries.ts'
import { printerOf, TEMPLATE_OPTIONS } from '../template/printer.ts'

const GRAPH = ['graph', 'filter', 'ascii']

const { revision, path, limit, reverse, since, until, grep, all, revset, everywhere } = log.input

/** Returns an option that a graph does not have. */
const withoutGraph = <T>(one: Input<T>): Input<T> => ({
  ...one,
  excludes: [...(one.excludes ?? []), ...GRAPH],
})

/** `sess log`: shows entries, newest first. */
export const command = defineCommand({
  effect: log.effect,
  paged: true,
  arguments: { revision, path: { ...path, about: `after --, ${path.about}` } },
  options: {
    limit: { ...limit, short: 'n' },
    // With --reverse, a limit takes the newest entries: what follows the last of them is no page.
    ...pageOptions(log, 'reverse', ...GRAPH),
    reverse: { ...reverse, excludes: GRAPH },
    oneline: flag('show each entry in one line; this is the default', { excludes: ['template', 'format'] }),
    since: withoutGraph(since),
    until: withoutGraph(until),
    grep: withoutGraph(grep),
    patch: flag('show the edits of files as differences', { short: 'p', excludes: GRAPH }),
    all,
    revset: { ...revset, short: 'r', about: `${revset.about}: see sess help revsets` },
    everywhere,
    graph: flag('draw the graph', { excludes: ['template', 'format'] }),
    filter: {
      ...graphVerb.input.filter,
      excludes: [...(graphVerb.input.filter.excludes ?? []), 'template', 'format'],
    },
    ascii: flag('draw the graph in ASCII', { excludes: ['template', 'format'] }),
    ...TEMPLATE_OPTIONS,
  },
  help: 'Children are listed before their parents. Without a revision: the current session.',
  examples: [
    ["sess log 3b1f -r 'tool(bash) & failed()'", 'failed shell commands'],
    ["sess log --everywhere -r 'role(user) & since(2w)'", 'your prompts of the last two weeks'],
    ['sess log 3b1f -5', 'the newest five entries'],
    ['sess log 3b1f -n 50 --json', 'the newest fifty; --after with the cursor of the last one goes on'],
    ['sess log 3b1f --reverse', 'from the first entry on'],
    ['sess log 3b1f -p -- src/format.js', 'the edits of a file'],
    ['sess log "Slow forecast for Brest"', 'by its title'],
    ['sess log c7d0..3b1f', 'entries of one that the other lacks'],
    ['sess log 3b1f --all --graph', 'all branches of a session, as a graph'],
    ["sess log 3b1f --graph -r 'heads() | forks()'", 'only fork points and tips'],
  ],
  output: output(
    'A line for each entry; with --graph with its edges.',
    anyOf(rowSchemaOf(log), graphVerb.item.schema),
  ),
  run: (call, { revision: named, path: words, graph, filter, ascii, patch, ...input }) =>
    withUsageHint('log', async () => {
      const { name, paths } = operands(call, named, words)
      const { all: allBranches, limit: most, revset: expression, everywhere: isEverywhere } = input
      const context = await call.context()
      if (graph || filter || ascii) {
        const asked = {
          ...{ all: allBranches, everywhere: isEverywhere },
          ...defined({ revision: name, limit: most, revset: expression, filter }),
        }
        const { printGraph } = await import('../render/graph.ts')
        const drawing = graphDrawing(context, asked, call.io.colored)
        await printGraph(call, drawing, { ...defined({ limit: most }), ascii })
        return
      }
      // Loaded on demand, for the few calls that need it.
      const editLines = patch && !call.io.json && (await import('../../text/textdiff.ts')).editLines
      const print = printerOf(call, input, ENTRIES, 'oneline')
      const names = namesOfEntries(context)
      const entries = rowsOf(call, log, {
        ...input,
        ...defined({ revision: name }),
        path: paths,
        whole: isWhole(input),
        usage: print.usesUsage,
      })
      for await (const entry of entries) {
        await print(entry, await names(entry.session))
        if (editLines) for (const line of editLines(entry.view)) await call.io.print(...line)
      }
    }),
})

/** The formats that show whole results. */
const WHOLE: ReadonlySet<unknown> = new Set(['full', 'markdown'])

const isWhole = ({
  template,
  format,
}: {
  readonly template?: string | true
  readonly format?: string | true
}): boolean => WHOLE.has(template) || WHOLE.has(format)

/** Returns the revision, and the paths: what follows `--`, or the revision. */
function operands(
  { argv }: Invocation,
  named: string | undefined,
  words: readonly string[],
): { readonly name: string | undefined; readonly paths: readonly string[] } {
  const end = argv.indexOf('--')
  const isPath = named !== undefined && end >= 0 && argv.length - end - 1 > words.length
  return isPath ? { name: undefined, paths: [named, ...words] } : { name: named, paths: words }
}
