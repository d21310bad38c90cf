import { hasCode } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { graphDrawing, graph as graphVerb } from '../../verbs/graph.ts'
import type { Input } from '../../verbs/input.ts'
import { log, namesOfEntries, shortSessions } from '../../verbs/log.ts'
import { parseRange, parseRevision } from '../../verbs/rev-parse.ts'
import { anyOf } from '../../verbs/schema.ts'
import { defineCommand, misuse, output, withUsageHint } from '../define.ts'
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
  arguments: { revision, path: { ...path, about: `more revisions, and after -- paths: ${path.about}` } },
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
    // A path may stand in the place of a revision.
    everywhere: { ...everywhere, excludes: [] },
    graph: flag('draw the graph', { excludes: ['template', 'format'] }),
    filter: {
      ...graphVerb.input.filter,
      excludes: [...(graphVerb.input.filter.excludes ?? []), 'template', 'format'],
    },
    ascii: flag('draw the graph in ASCII', { excludes: ['template', 'format'] }),
    ...TEMPLATE_OPTIONS,
  },
  help: `Children are listed before their parents. Without a revision: the current session. Of several revisions, what any of them
reaches. A path is absolute, of this folder or of the session's, also where that moved (sess mv), or the end of one:
format.js, src/format.js. --everywhere names the session of each entry.`,
  examples: [
    ["sess log 3b1f -r 'tool(bash) & failed()'", 'failed shell commands'],
    ["sess log --everywhere -r 'role(user) & since(2w)'", 'your prompts of the last two weeks'],
    ['sess log 3b1f -5', 'the newest five entries'],
    ['sess log 3b1f -n 50 --json', 'the newest fifty; --after with the cursor of the last one goes on'],
    ['sess log 3b1f --reverse', 'from the first entry on'],
    ['sess log 3b1f -p -- src/format.js', 'the edits of a file'],
    ['sess log --everywhere -- format.js', 'which sessions touched a file'],
    ['sess log --everywhere --grep TypeError', 'entries of all sessions that say something'],
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
      const context = await call.context()
      const { revisions, paths } = await operands(call, named === undefined ? words : [named, ...words])
      const [name] = revisions.length > 1 ? [] : revisions
      const { all: allBranches, limit: most, everywhere: isEverywhere } = input
      if (revisions.length > 1 && input.revset !== undefined)
        throw misuse('log', '-r takes one revision beside it')
      if (revisions.length > 0 && isEverywhere)
        throw misuse('log', "'--everywhere' and <revision> exclude each other")
      const expression = revisions.length > 1 ? await reachedFrom(context, revisions) : input.revset
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
      const sessions = isEverywhere || revisions.length > 1 ? await shortSessions(context) : undefined
      let isEmpty = true
      const entries = rowsOf(call, log, {
        ...input,
        ...defined({ revision: name, revset: expression }),
        path: paths,
        whole: isWhole(input),
        usage: print.usesUsage,
      })
      for await (const entry of entries) {
        isEmpty = false
        await print(entry, await names(entry.session), sessions)
        if (editLines) for (const line of editLines(entry.view)) await call.io.print(...line)
      }
      if (isEmpty && !call.io.json) await call.io.note(nothingFound(paths))
    }),
})

/** Says that there is no entry, and which files none names. */
const nothingFound = (paths: readonly string[]): string =>
  paths.length === 0 ? 'no entry is there' : `no entry names ${paths.map((one) => `'${one}'`).join(' or ')}`

/** Returns the expression of what any of some revisions and ranges reaches. */
async function reachedFrom(
  context: Parameters<typeof parseRange>[0],
  revisions: readonly string[],
): Promise<string> {
  const quote = (word: string): string => `"${word.replace(/["\\]/g, '\\$&')}"`
  const reached: string[] = []
  for (const name of revisions) {
    const range = await parseRange(context, name)
    reached.push(
      range ? `${quote(range.left)}${range.dots}${quote(range.right)}` : `ancestors(${quote(name)})`,
    )
  }
  return reached.join(' | ')
}

/** The formats that show whole results. */
const WHOLE: ReadonlySet<unknown> = new Set(['full', 'markdown'])

const isWhole = ({
  template,
  format,
}: {
  readonly template?: string | true
  readonly format?: string | true
}): boolean => WHOLE.has(template) || WHOLE.has(format)

/** Returns the revisions, and the paths: what follows `--`, and what names no revision after the first word. */
async function operands(
  call: Invocation,
  words: readonly string[],
): Promise<{ readonly revisions: readonly string[]; readonly paths: readonly string[] }> {
  const end = call.argv.indexOf('--')
  const count = end < 0 ? words.length : Math.max(0, words.length - (call.argv.length - end - 1))
  const [first, ...others] = words.slice(0, count)
  const revisions = first === undefined ? [] : [first]
  const paths: string[] = []
  for (const word of others)
    if (paths.length === 0 && (end >= 0 || (await isRevision(call, word)))) revisions.push(word)
    else paths.push(word)
  return { revisions, paths: [...paths, ...words.slice(count)] }
}

/** Returns whether a word names a revision. */
async function isRevision(call: Invocation, word: string): Promise<boolean> {
  try {
    await parseRevision(await call.context(), word, false)
    return true
  } catch (error) {
    if (hasCode(error, 'no-revision', 'no-session', 'before-first', 'bad-name')) return false
    throw error
  }
}
