import { collected } from '../model/async.ts'
import { SessError } from '../model/errors.ts'
import { defined } from '../model/json.ts'
import type { Pattern } from '../model/pattern/pattern.ts'
import { shortIds } from '../model/shortid.ts'
import { namesBySession } from '../ops/branchnames.ts'
import type { LogEntry } from '../ops/entries.ts'
import type { LogOptions } from '../ops/log.ts'
import { entryCursor } from '../ops/rows/cursor.ts'
import { flag, type InputOf, optional, several } from './input.ts'
import type { VerbContext } from './open.ts'
import type { Page, PageOptions } from './page.ts'
import { count, file, revision, revset, text, time } from './values.ts'
import { list, type Output } from './verb.ts'
import { entryData, entrySchema } from './wire.ts'

/** An entry: its JSON leaves the view out, which interfaces in the same process show. */
export const entryOutput: Output<LogEntry> = { schema: entrySchema, wire: entryData }

const input = {
  revision: optional(revision(), 'a session, an entry, or a range A..B or A...B (@)'),
  path: several(
    file('path'),
    'only entries that touch one of these files or folders, or a file whose path ends so',
  ),
  limit: optional(count(), 'show at most N entries'),
  reverse: flag('show the oldest first'),
  since: optional(time(), 'only entries since: 12h, 3d, 2w, yesterday, 2026-04-01'),
  until: optional(time(), 'only entries before'),
  grep: optional(text('expression'), 'only entries that a regular expression matches'),
  all: flag('show all branches of the session'),
  revset: optional(revset(), 'show the entries of a revset'),
  everywhere: flag('search all sessions', { excludes: ['revision'] }),
  whole: flag('show whole results, also of those that are in files beside the session'),
  usage: flag('find what each entry adds to its model call'),
}

export const log = list({
  name: 'log',
  summary: 'show the entries of a session, newest first',
  input,
  item: entryOutput,
  cursor: entryCursor,
  items: async function* ({ repo, priceOf, where }, { reverse, limit, ...asked }) {
    const { revision: name, revset: expression, everywhere } = asked
    const most = defined({ limit })
    const options = await optionsIn(asked)
    if (expression !== undefined || everywhere) {
      // Loaded on use: expressions take long to load, and few calls have one.
      const { select } = await import('../ops/revset/run.ts')
      const scope = name === undefined ? { everywhere } : { session: name }
      const { all: _, whole = false, usage = false, ...filter } = options
      const found = select(repo, expression ?? 'all()', {
        ...{ zone: where.zone, priceOf, whole, usage, filter },
        ...scope,
        ...most,
      })
      yield* reverse ? (await collected(found)).reverse() : found
      return
    }
    // Loaded while the database opens.
    const { log: entriesOf } = await import('../ops/log.ts')
    yield* entriesOf(repo, name ?? '@', { ...options, reverse, ...most })
  },
  page: (context, { reverse, ...asked }, options) =>
    reverse || asked.revset !== undefined || asked.everywhere
      ? undefined
      : entryPage(context, asked, options),
})

type Chosen = Omit<InputOf<typeof input>, 'limit' | 'reverse'>

async function entryPage(
  { repo }: VerbContext,
  asked: Chosen,
  options: PageOptions,
): Promise<Page<LogEntry>> {
  const chosen = await optionsIn(asked)
  // Loaded on use: most logs begin at their tip.
  const { logPage } = await import('../ops/rows/logpage.ts')
  return logPage(repo, asked.revision ?? '@', { ...chosen, ...options })
}

/** Returns which entries of a session are asked for. */
const optionsIn = async ({
  path: touches,
  grep,
  since,
  until,
  ...flags
}: Chosen): Promise<Omit<LogOptions, 'limit' | 'reverse'>> => ({
  all: flags.all,
  whole: flags.whole,
  usage: flags.usage,
  ...defined({ since, until }),
  ...(grep !== undefined && { grep: await patternOf(grep) }),
  ...(touches.length > 0 && { touches }),
})

/** Returns a function that returns by oid the names of the branches and labels of a session. */
export const namesOfEntries = ({ repo }: VerbContext): ReturnType<typeof namesBySession> =>
  namesBySession(repo)

/** Returns the ids of all sessions, each as short as it is told from the others. */
export const shortSessions = async ({ repo }: VerbContext): Promise<ReadonlyMap<string, string>> =>
  shortIds((await repo.lists.read(repo, [])).id)

async function patternOf(source: string): Promise<Pattern> {
  const [{ regularExpression }, { PatternError }] = await Promise.all([
    import('../model/pattern/pattern.ts'),
    import('../model/pattern/syntax.ts'),
  ])
  try {
    return regularExpression(source)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new SessError('bad-usage', `the regular expression '${source}' is not valid: ${error.message}`)
  }
}
