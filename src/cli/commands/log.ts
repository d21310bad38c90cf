import { FILTERS } from '../../model/graphfilter.ts'
import { defined } from '../../model/json.ts'
import type { Pattern } from '../../model/pattern/pattern.ts'
import { entryCursor } from '../../ops/rows/cursor.ts'
import type { logPage } from '../../ops/rows/logpage.ts'
import { pricesIn } from '../config.ts'
import { defineCommand, misuse, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { entrySchema, graphEntrySchema } from '../outputschemas.ts'
import { hasCursors, pageIn, pageOptions } from '../pageoptions.ts'
import {
  choice,
  count,
  file,
  flag,
  option,
  optional,
  revision,
  revset,
  several,
  text,
  time,
} from '../parameters.ts'
import { namesBySession } from '../render/branchnames.ts'
import { anyOf } from '../schema.ts'
import { ENTRIES } from '../template/entries.ts'
import { printerOf, TEMPLATE_OPTIONS } from '../template/printer.ts'

const GRAPH = ['graph', 'filter', 'ascii']
const SELECTION = ['revset', 'everywhere', ...GRAPH]

/** `sess log`: shows entries, newest first. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  arguments: {
    revision: optional(revision(), 'a session, an entry, or a range A..B or A...B (@)'),
    path: several(file('path'), 'after --, only entries that touch one of these files or folders'),
  },
  options: {
    limit: option(count(), 'show at most N entries', { short: 'n' }),
    ...pageOptions('reverse', ...SELECTION),
    reverse: flag('show the oldest first', { excludes: GRAPH }),
    oneline: flag('show each entry in one line; this is the default', { excludes: ['template', 'format'] }),
    since: option(time(), 'only entries since: 12h, 3d, 2w, yesterday, 2026-04-01', { excludes: SELECTION }),
    until: option(time(), 'only entries before', { excludes: SELECTION }),
    grep: option(text('expression'), 'only entries that a regular expression matches', {
      excludes: SELECTION,
    }),
    patch: flag('show the edits of files as differences', { short: 'p', excludes: GRAPH }),
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
  output: output('A line for each entry; with --graph with its edges.', anyOf(entrySchema, graphEntrySchema)),
  run: async (call, { revision: named, path: words, all, graph, filter, ascii, ...options }) => {
    const { limit, revset: expression, everywhere, reverse, since, until, grep, patch } = options
    const { name, paths } = operands(call, named, words)
    const most = defined({ limit })
    const repo = await call.repo()
    const { log, logGraph } = await import('../../ops/log.ts')
    // Loaded on demand, for the few calls that need them: expressions, drawing and differences take 2 ms together.
    const selecting =
      expression !== undefined || everywhere ? await import('../../ops/revset/run.ts') : undefined
    const editLines = patch && !call.io.json && (await import('../render/textdiff.ts')).editLines
    const selection = {
      zone: call.platform.zone,
      priceOf: pricesIn(call.config),
      ...(name === undefined ? { everywhere } : { session: name }),
      ...most,
    }
    if (graph || filter || ascii) {
      const digits = call.io.colored
      const drawing = selecting
        ? selecting.selectGraph(repo, expression ?? 'all()', { ...selection, digits })
        : logGraph(repo, name ?? '@', { all, digits, ...(filter && { filter }) })
      const { printGraph } = await import('../render/graph.ts')
      await printGraph(call, drawing, { ...most, ascii })
      return
    }
    const print = printerOf(call, options, ENTRIES, 'oneline')
    const { usesUsage: usage } = print
    const names = namesBySession(repo)
    const chosen = {
      ...{ all, usage },
      whole: isWhole(options),
      ...defined({ since, until, grep: grep === undefined ? grep : await patternOf(grep) }),
      ...(paths.length > 0 && { touches: paths }),
    }
    const page = pageIn(options)
    const entries = selecting
      ? selecting.select(repo, expression ?? 'all()', { ...selection, usage })
      : page
        ? (await pageOf(repo, name ?? '@', { ...chosen, ...page })).items
        : log(repo, name ?? '@', { ...chosen, reverse, ...most })
    const isNamed = hasCursors(options)
    for await (const entry of entries) {
      const row = isNamed ? { ...entry, cursor: entryCursor(entry) } : entry
      await print(row, await names(entry.session))
      if (editLines) for (const line of editLines(entry.view)) await call.io.print(...line)
    }
  },
})

/** Loaded on demand: most logs begin at their tip. */
const pageOf = async (...query: Parameters<typeof logPage>): ReturnType<typeof logPage> =>
  (await import('../../ops/rows/logpage.ts')).logPage(...query)

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

async function patternOf(source: string): Promise<Pattern> {
  const [{ regularExpression }, { PatternError }] = await Promise.all([
    import('../../model/pattern/pattern.ts'),
    import('../../model/pattern/syntax.ts'),
  ])
  try {
    return regularExpression(source)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw misuse('log', `the regular expression '${source}' is not valid: ${error.message}`)
  }
}
