import { Option } from 'commander'
import { SessError } from '../../model/errors.ts'
import { FILTERS, type GraphFilter } from '../../model/filter.ts'
import type { Drawn, Heading } from '../../ops/log/drawn.ts'
import { logGraph } from '../../ops/log/loggraph.ts'
import { type LogEntry, log } from '../../ops/log.ts'
import { select, selectGraph } from '../../ops/select.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import { printGraph } from '../graph.ts'
import { count } from '../options.ts'
import { namesBySession } from '../render/names.ts'
import { ENTRIES } from '../template/entry.ts'
import { isAsked, printerOf, type TemplateOptions, templateOptions } from '../template/printer.ts'

interface Options extends TemplateOptions {
  readonly limit?: number
  readonly all?: boolean
  readonly revset?: string
  readonly everywhere?: boolean
  readonly graph?: boolean
  readonly filter?: GraphFilter
  readonly ascii?: boolean
}

/** `sess log`: shows entries. */
export const define: Define = (command, act) => {
  command
    .argument('[revision]', 'a session, an entry, or a range A..B or A...B (default: "@")')
    .option('-n, --limit <n>', 'show at most N entries', count)
    .option('--all', 'show all branches of the session')
    .option('-r, --revset <expression>', 'show the entries of a revset: see sess help revsets')
    .option('--everywhere', 'search all sessions')
    .option('--graph', 'draw the graph')
    .addOption(new Option('--filter <what>', 'draw a reduced graph').choices(FILTERS))
    .option('--ascii', 'draw the graph in ASCII')
    .addHelpText(
      'after',
      '\nChildren are listed before their parents. Without a revision: the latest session of this folder.',
    )
    .action(
      act(async (call, revision: string | undefined, options: Options) => {
        check(revision, options)
        const { graph, filter, ascii, limit } = options
        if (graph || filter || ascii)
          return printGraph(call, await drawingOf(call, revision, options), {
            ...(limit !== undefined && { limit }),
            ...(ascii && { ascii }),
          })
        const print = printerOf(call, options, ENTRIES, 'oneline')
        const names = namesBySession(await call.repo())
        for await (const entry of await entriesOf(call, revision, options))
          await print(entry, await names(entry.session))
      }),
    )
  templateOptions(command)
  examples(command, [
    ["sess log 3b1f -r 'tool(bash) & failed()'", 'failed shell commands'],
    ["sess log --everywhere -r 'role(user) & since(2w)'", 'your prompts of the last two weeks'],
    ['sess log 3b1f -n 5', 'the newest five entries'],
    ['sess log "Slow forecast for Brest"', 'by its title'],
    ['sess log c7d0..3b1f', 'entries of one that the other lacks'],
    ['sess log 3b1f --all --graph', 'all branches of a session, as a graph'],
    ["sess log 3b1f --graph -r 'heads() | forks()'", 'only fork points and tips'],
  ])
}

/** Refuses what says two things at once. */
function check(revision: string | undefined, options: Options): void {
  const { revset, everywhere, graph, filter, ascii } = options
  const refuse = (a: string, b: string, hint: string): never => {
    throw new SessError('bad-usage', `${a} and ${b} exclude each other`, { hint })
  }
  if (everywhere && revision !== undefined)
    refuse('--everywhere', `'${revision}'`, 'name one session, or say --everywhere')
  if (filter && (everywhere || revset !== undefined))
    refuse(
      '--filter',
      revset === undefined ? '--everywhere' : '-r',
      'let the expression say what is left out',
    )
  if ((graph || filter || ascii) && isAsked(options))
    refuse('a graph', 'a template', 'leave --graph or --template out')
}

const isSelected = ({ revset, everywhere }: Options): boolean => revset !== undefined || everywhere === true

const selectionOf = (call: Call, revision: string | undefined, { limit, everywhere }: Options) => ({
  zone: call.world.zone,
  ...(revision === undefined ? { everywhere: everywhere ?? false } : { session: revision }),
  ...(limit !== undefined && { limit }),
})

async function entriesOf(
  call: Call,
  revision: string | undefined,
  options: Options,
): Promise<AsyncIterable<LogEntry>> {
  const { limit, all = false, revset = 'all()' } = options
  const repo = await call.repo()
  if (isSelected(options)) return select(repo, revset, selectionOf(call, revision, options))
  return log(repo, revision ?? '@', { all, ...(limit !== undefined && { limit }) })
}

async function drawingOf(
  call: Call,
  revision: string | undefined,
  options: Options,
): Promise<AsyncIterable<Heading | Drawn>> {
  const { all = false, filter, revset = 'all()' } = options
  const repo = await call.repo()
  const digits = call.io.colored
  if (isSelected(options))
    return selectGraph(repo, revset, { ...selectionOf(call, revision, options), digits })
  return logGraph(repo, revision ?? '@', { all, digits, ...(filter && { filter }) })
}
