import { SessError } from '../../model/errors.ts'
import { type FileDeed, filesOf } from '../../model/toolinput.ts'
import type { View } from '../../model/view.ts'
import { optional, withDefault } from '../../verbs/input.ts'
import { log } from '../../verbs/log.ts'
import { listing } from '../../verbs/ls.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { described, integer, nullable, object, oneOf, string } from '../../verbs/schema.ts'
import { search } from '../../verbs/search.ts'
import type { LogEntry } from '../../verbs/types.ts'
import { count, revision, text, time } from '../../verbs/values.ts'
import { checkStop, perform } from '../../verbs/verb.ts'
import { textOfView } from '../entrytext.ts'
import { lineOrNull, Quoted } from '../quoted.ts'
import { FACTS, factsOf } from '../sessionfacts.ts'
import { type Answer, atMost, CITED, cursorInput, type Item, readTool } from '../tool.ts'

/** The most hits in which sessions that name a file are looked for, and the most entries of a session that are read. */
const [MAX_HITS, MAX_ENTRIES] = [200, 20_000]

const WITHOUT_DETAILS = {
  ...{ all: false, everywhere: false, whole: false, usage: false, reverse: false },
} as const

export const files = readTool({
  name: 'files',
  title: 'Find who touched a file',
  description: `With path: the tool calls of all sessions that read or changed a file or a folder, the latest session first, each with session, oid and time. Use it before changing a file, to learn why it is as it is: then show the oid, which tells what was asked for. Without path, but with revision: the files that a session read and changed, with the last entry that touched each.`,
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

/** Returns the entries that touch a file: session by session, the latest first, each from its newest entry on. */
async function touching(
  context: VerbContext,
  path: string,
  { name, since, most, cursor }: Asked & { readonly name: string | undefined },
): Promise<Answer> {
  const { sessions, isWhole } =
    name === undefined ? await sessionsNaming(context, path) : { sessions: [name], isWhole: true }
  const facts = await factsOf(context)
  const [begin, from] = partsOf(cursor)
  const items: Item[] = []
  let isMore = false
  for (const session of begin === undefined ? sessions : sessions.slice(sessions.indexOf(begin))) {
    const left = most - items.length
    if (left <= 0) {
      isMore = true
      break
    }
    const { result } = await perform(log, context, {
      ...WITHOUT_DETAILS,
      ...(since !== undefined && { since }),
      ...(session === begin && from !== undefined && { after: from }),
      revision: session,
      path: [path],
      limit: left,
    })
    for (const entry of result?.items ?? [])
      items.push({ data: touchData(entry, path, facts), cursor: `${entry.cursor}.${session}` })
    isMore = result?.next != null
  }
  return {
    items,
    next: isMore ? (items.at(-1)?.cursor ?? null) : null,
    left: isWhole ? undefined : `Only sessions among the ${MAX_HITS} best hits were looked through.`,
  }
}

/** Returns the sessions in which the name of a file was said, the one that was added to last first. */
async function sessionsNaming(
  context: VerbContext,
  path: string,
): Promise<{ readonly sessions: readonly string[]; readonly isWhole: boolean }> {
  const base = path.split(/[/\\]/).findLast((part) => part !== '') ?? path
  const query = [`"${base.replaceAll('"', ' ')}"`]
  const { result } = await perform(search, context, { query, limit: MAX_HITS })
  const found = new Set(result?.items.flatMap(({ session, others }) => [session, ...others]))
  const all = await listing(context, { where: [], sort: 'updated', reverse: false }, ['id'])
  return { sessions: all.map('id', (id) => id).filter((id) => found.has(id)), isWhole: result?.next === null }
}

function partsOf(
  cursor: string | undefined,
): readonly [session: string | undefined, from: string | undefined] {
  const at = cursor?.indexOf('.') ?? -1
  return cursor === undefined || at < 0 ? [undefined, undefined] : [cursor.slice(at + 1), cursor.slice(0, at)]
}

const deedsOf = ({ blocks }: View): FileDeed[] =>
  blocks.flatMap((block) => (block.kind === 'toolCall' ? filesOf(block) : []))

type Facts = Awaited<ReturnType<typeof factsOf>>

function touchData({ session, oid, time: at, view }: LogEntry, path: string, facts: Facts): object {
  const deeds = deedsOf(view)
  const wanted = path.replace(/^\.?\//, '')
  const deed = deeds.find((one) => one.path.includes(wanted)) ?? deeds[0]
  return {
    ...{ session, oid, time: at, ...facts(session) },
    does: deed?.does ?? 'read',
    path: new Quoted(deed?.path ?? path, { limit: 300 }),
    times: null,
    call: lineOrNull(textOfView(view), 300),
  }
}

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
  const from = Number(cursor ?? 0)
  const all = [...touched.values()]
  const items = all.slice(from, from + most).map(({ path, entry, does, times }, i) => ({
    data: {
      ...{ session: entry.session, oid: entry.oid, time: entry.time, ...facts(entry.session) },
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
