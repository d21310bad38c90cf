import { SessError } from '../../model/errors.ts'
import { type FileDeed, filesOf } from '../../model/toolinput.ts'
import type { View } from '../../model/view.ts'
import { optional, withDefault } from '../../verbs/input.ts'
import { log } from '../../verbs/log.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { described, integer, nullable, object, oneOf, string } from '../../verbs/schema.ts'
import { search } from '../../verbs/search.ts'
import { show } from '../../verbs/show.ts'
import type { LogEntry } from '../../verbs/types.ts'
import { count, revision, text, time } from '../../verbs/values.ts'
import { checkStop, perform } from '../../verbs/verb.ts'
import { CITED, cited } from '../cited.ts'
import { textOfView } from '../entrytext.ts'
import { fieldText } from '../query.ts'
import { lineOrNull, Quoted } from '../quoted.ts'
import { FACTS, factsOf } from '../sessionfacts.ts'
import { type Answer, atMost, cursorInput, type Item, placeOf, readTool } from '../tool.ts'

/** The most hits in which calls that touch a file are looked for, and the most entries of a session that are read. */
const [MAX_HITS, MAX_ENTRIES] = [200, 20_000]

const WITHOUT_DETAILS = {
  ...{ all: false, everywhere: false, whole: false, usage: false, reverse: false },
} as const

export const files = readTool({
  name: 'files',
  title: 'Find who touched a file',
  description: `With path: the tool calls of all sessions that read or changed a file or a folder, the newest first, each with session, oid and time. Use it before changing a file, to learn why it is as it is: then show the oid, which tells what was asked for. Without path, but with revision: the files that a session read and changed, with the last entry that touched each.`,
  input: {
    path: optional(text('path'), 'a file or folder; the end of its path will do: src/app.ts'),
    revision: optional(revision(), 'only this session, or an entry and what is before it'),
    since: optional(time(), 'only since: 12h, 7d, 2w, yesterday, 2026-04-01'),
    limit: withDefault(count(), 20, 'how many, at most 100'),
    cursor: cursorInput,
  },
  item: object({
    ...CITED,
    ...FACTS,
    does: oneOf('read', 'change'),
    path: string,
    times: described('how often, where the files of a session are listed', nullable(integer)),
    call: described('the beginning of the call', nullable(string)),
  }),
  run: async ({ context }, { path, revision: name, since, limit, cursor }) => {
    const most = atMost(limit)
    const after = since === undefined ? {} : { since }
    if (path !== undefined) return touching(context, path, { ...after, name, most, cursor })
    if (name !== undefined) return touchedBy(context, name, { ...after, most, cursor })
    throw new SessError('bad-usage', 'a path or a session is needed', { hint: 'name one of them' })
  },
})

interface Asked {
  readonly since?: number
  readonly most: number
  readonly cursor: string | undefined
}

/** Returns the calls that touch a file, the newest first, by the index: a call that names a file has the last part of its path. */
async function touching(
  context: VerbContext,
  path: string,
  { name, since, most, cursor }: Asked & { readonly name: string | undefined },
): Promise<Answer> {
  const base = path.split(/[/\\]/).findLast((part) => part !== '') ?? path
  const { result } = await perform(search, context, {
    query: [fieldText('role', 'assistant'), `"${base.replaceAll('"', ' ')}"`],
    limit: MAX_HITS,
    ...(name !== undefined && { session: name }),
  })
  const hits = (result?.items ?? [])
    .filter(({ time: at }) => since === undefined || (at !== null && Date.parse(at) >= since))
    .sort((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))
  const facts = await factsOf(context)
  const items: Item[] = []
  let place = placeOf(cursor)
  for (; place < hits.length && items.length < most; place++) {
    const hit = hits[place] as (typeof hits)[number]
    const entry = hit.oid === null ? null : (await perform(show, context, { revision: hit.oid })).result
    const deed = entry && deedsOf(entry.view).find((one) => isWithin(one.path, path))
    if (!deed) continue
    const { session, time: at } = hit
    const data = touchData({ session, oid: entry.oid, time: at, view: entry.view }, deed, facts)
    items.push({ data, cursor: String(place + 1) })
  }
  return {
    items,
    next: place < hits.length ? String(place) : null,
    left:
      (result?.next ?? null) === null
        ? undefined
        : `Only the ${MAX_HITS} best hits were looked through: ask for less by since or revision.`,
  }
}

/** Returns whether a path of a call is that of a file or folder, or ends so, or is below it. */
function isWithin(path: string, wanted: string): boolean {
  const place = `/${wanted.replace(/^(?:\.?\/)+|\/+$/g, '')}/`
  return `/${path}/`.replaceAll('\\', '/').includes(place)
}

const deedsOf = ({ blocks }: View): FileDeed[] =>
  blocks.flatMap((block) => (block.kind === 'toolCall' ? filesOf(block) : []))

type Facts = Awaited<ReturnType<typeof factsOf>>

const touchData = (
  entry: Pick<LogEntry, 'session' | 'oid' | 'time' | 'view'>,
  { path, does }: FileDeed,
  facts: Facts,
): object => ({
  ...{ ...cited(entry), ...facts(entry.session), does },
  path: new Quoted(path, { limit: 300 }),
  times: null,
  call: lineOrNull(textOfView(entry.view), 300),
})

interface Touched {
  readonly path: string
  readonly entry: LogEntry
  does: FileDeed['does']
  times: number
}

/** Returns the files that the entries up to a revision touch, the last one touched first. */
async function touchedBy(
  context: VerbContext,
  name: string,
  { since, most, cursor }: Asked,
): Promise<Answer> {
  const touched = new Map<string, Touched>()
  let read = 0
  const asked = { ...WITHOUT_DETAILS, ...(since !== undefined && { since }), revision: name, path: [] }
  for await (const entry of log.items(context, { ...asked, limit: MAX_ENTRIES })) {
    checkStop(context)
    read++
    for (const { path, does } of deedsOf(entry.view)) {
      const known = touched.get(path)
      if (!known) touched.set(path, { path, entry, does, times: 1 })
      else {
        known.times++
        if (does === 'change') known.does = does
      }
    }
  }
  const facts = await factsOf(context)
  const from = placeOf(cursor)
  const all = [...touched.values()]
  const items = all.slice(from, from + most).map(({ path, entry, does, times }, i) => ({
    data: {
      ...{ ...cited(entry), ...facts(entry.session) },
      ...{ does, path: new Quoted(path, { limit: 300 }), times, call: null },
    },
    cursor: String(from + i + 1),
  }))
  return {
    items,
    next: from + most < all.length ? String(from + most) : null,
    left: read < MAX_ENTRIES ? undefined : `Only the newest ${MAX_ENTRIES} entries were read.`,
  }
}
