import { ancestor, isOnPath, path } from '../../graph/walk.ts'
import { type Awaitable, collected } from '../../model/async.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import { lookIn, type Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import type { LogEntry } from '../entries.ts'
import { entriesOf, handlesOf, type LogOptions, selectionOf, singleTip } from '../log.ts'
import { type Cursor, decodeCursor, entryCursor } from './cursor.ts'
import { type Page, type PageOptions, type PageQuery, pageOf, pageQuery } from './page.ts'

/** Which entries a page of a log has. */
export interface LogPageOptions extends Omit<LogOptions, 'limit' | 'reverse'>, PageOptions {}

/** The entries of handles that the options of a log select. */
type Select = (handles: AsyncIterable<EntryHandle>, limit?: number) => AsyncIterable<LogEntry>

/**
 * Returns a page of what a revision or a range reaches, children before parents. A cursor goes on where it was read,
 * whatever was appended since. Throws as `log`, `no-entry` for a cursor whose entry the log does not reach, and
 * `bad-usage` for one of another list or session.
 */
export function logPage(repo: Repo, revision: string, options: LogPageOptions = {}): Promise<Page<LogEntry>> {
  const { after: _, before: __, limit: ___, ...chosen } = options
  const query = pageQuery(options)
  return repo.read(async (reader) => {
    const selection = await selectionOf(reader, revision, options.all ?? false)
    const { session } = selection
    const select: Select = (handles, limit) =>
      entriesOf(reader, session, handles, { ...chosen, ...(limit !== undefined && { limit }) }, repo.env.cwd)
    const from = query.from && (await entryAt(reader, query.from, session?.id ?? null))
    const tip = await singleTip(reader, selection)
    const handles = tip === undefined ? handlesOf(reader, selection) : undefined
    const found = handles
      ? await fromList(handles, from, query, { select, oidOf: (entry) => reader.oid(entry) })
      : await fromPath(reader, tip as EntryHandle, from, query, select)
    return pageOf(found, query, entryCursor)
  })
}

/** Returns the entry that a cursor names. */
async function entryAt(reader: Reader, cursor: Cursor, session: string | null): Promise<EntryHandle> {
  const [named, oid] = decodeCursor('entry', cursor)
  if (named !== session) throw new SessError('bad-usage', `'${cursor}' is a cursor of another session`)
  const handle = await reader.find(oid)
  if (handle === undefined) throw new SessError('no-entry', oid)
  return handle
}

/** Reads the page of a single history: costs what it shows, wherever it is. */
async function fromPath(
  reader: Reader,
  tip: EntryHandle,
  from: EntryHandle | undefined,
  { isBack, limit }: PageQuery,
  select: Select,
): Promise<LogEntry[]> {
  const look = lookIn(reader)
  if (from === undefined) return collected(select(path(tip, look), limit + 1))
  if (!(await isOnPath(from, tip, look))) throw new SessError('no-entry', await reader.oid(from))
  if (!isBack) {
    const [parent] = (await look(from)).parents
    return parent === undefined ? [] : collected(select(path(parent, look), limit + 1))
  }
  let found: LogEntry[] = []
  let end = (await look(tip)).depth - (await look(from)).depth
  while (end > 0 && found.length <= limit) {
    const start = Math.max(0, end - limit - 1)
    const first = (await ancestor(tip, start, look)) as EntryHandle
    found = [...(await collected(select(firstOf(path(first, look), end - start)))), ...found]
    end = start
  }
  return found.slice(-limit - 1)
}

/** Reads the page of a list of entries in order, from its beginning. */
async function fromList(
  handles: AsyncIterable<EntryHandle>,
  from: EntryHandle | undefined,
  { isBack, limit }: PageQuery,
  { select, oidOf }: { readonly select: Select; readonly oidOf: (entry: EntryHandle) => Awaitable<Oid> },
): Promise<LogEntry[]> {
  if (from === undefined) return collected(select(handles, limit + 1))
  let isMet = false
  const parted = async function* (isBefore: boolean): AsyncGenerator<EntryHandle> {
    for await (const handle of handles) {
      if (handle === from) isMet = true
      if (isMet && isBefore) return
      if (isMet !== isBefore && handle !== from) yield handle
    }
  }
  const found: LogEntry[] = []
  for await (const entry of select(parted(isBack), isBack ? undefined : limit + 1)) {
    found.push(entry)
    if (found.length > limit + 1) found.shift()
  }
  if (!isMet) throw new SessError('no-entry', await oidOf(from))
  return found
}

async function* firstOf<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let left = count
  for await (const item of items) {
    yield item
    if (--left === 0) return
  }
}
