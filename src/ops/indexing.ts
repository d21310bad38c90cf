import { viewOf } from '../formats/registry.ts'
import { EntrySet } from '../model/entryset.ts'
import { hasCode } from '../model/errors.ts'
import type { EntryHandle, Node } from '../model/node.ts'
import type { RefMove } from '../model/operation.ts'
import { parseSessionRef, type RefName } from '../model/refname.ts'
import { type EntryText, textsOf } from '../model/search/entrytext.ts'
import type { View } from '../model/view.ts'
import { graftsIn } from '../repo/grafts.ts'
import { operationsNewestFirst } from '../repo/oplog/operationlog.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { coverMoves } from '../repo/searchcoverage.ts'
import { allSessions, logsOf, type SessionTrunk, updatedOf } from '../repo/session.ts'
import { renewList } from '../repo/sessionlist.ts'
import type { Writer } from '../repo/writeaccess.ts'
import { tipsOf } from './entries.ts'
import { Outputs } from './outputs.ts'

/** As many entries that were appended one by one wait before they are indexed, as many as one transaction takes. */
const WAITING = 1024
const AT_ONCE = 512

/** During a long import the index is updated when as many entries wait. */
const MANY = 30_720

/** Returns the texts of an entry that are indexed. */
export const indexedTexts = async (
  entry: EntryHandle,
  view: View,
  outputs: Outputs,
): Promise<readonly EntryText[]> => [...textsOf(view), ...(await outputs.texts(entry, view))]

/** Updates the index of words as a transaction adds entries. Begins before the first of them. */
export class Indexer {
  readonly #reader: Reader
  readonly #writer: Writer
  readonly #outputs: Outputs
  readonly #onStored: () => void
  /** How many entries the transaction has created. */
  #created: number

  /** `onStored` is called before each stored entry whose words are read. */
  constructor(reader: Reader, writer: Writer, onStored: () => void = () => undefined) {
    this.#reader = reader
    this.#writer = writer
    this.#onStored = onStored
    this.#outputs = new Outputs(reader)
    this.#created = writer.created.entries
  }

  /** Adds what an entry says that was just added. Returns false where the store had it already, and adds nothing. */
  add(entry: EntryHandle, view: View): boolean {
    const { entries } = this.#writer.created
    const isNew = entries > this.#created
    if (isNew) this.#writer.index.add(entry, textsOf(view))
    this.#created = entries
    return isNew
  }

  /** Writes buffers, and updates the index where many entries wait. To be called now and then in long transactions. */
  async flush(): Promise<void> {
    await this.#writer.flush()
    if (this.#writer.index.waiting >= MANY) await this.end()
  }

  /** Updates the index, by `most` entries. */
  end(most?: number): Promise<void> {
    return this.#writer.index.update((node) => this.#storedTexts(node), most)
  }

  /**
   * Returns what a stored entry says. A damaged one says nothing, as to a search: `fsck` reports it, and an append to
   * another session must not fail because of it.
   */
  async #storedTexts({ handle, type }: Node): Promise<readonly EntryText[]> {
    this.#onStored()
    try {
      return await indexedTexts(handle, viewOf(type, await this.#reader.body(handle)), this.#outputs)
    } catch (error) {
      if (hasCode(error, 'corrupt')) return []
      throw error
    }
  }
}

/** Indexes some of the entries that were appended one by one, where many wait. */
export async function indexWaiting(reader: Reader, writer: Writer): Promise<void> {
  if (reader.index.waiting() >= WAITING) await new Indexer(reader, writer).end(AT_ONCE)
}

const written = new WeakSet<Repo>()

/** Does the same while nothing else is written; at once where a store was just opened, as by a single command. */
export async function indexLater(repo: Repo, reader: Reader, writer: Writer): Promise<void> {
  const isFirst = !written.has(repo)
  written.add(repo)
  if (reader.index.waiting() < WAITING) return
  if (isFirst) await indexWaiting(reader, writer)
  else repo.runWhenIdle('index', () => indexQuietly(repo))
}

/** Indexes some of the entries that wait, and does so again later where more do. */
async function indexQuietly(repo: Repo): Promise<void> {
  await repo.write({ bulk: true }, async ({ reader, writer }) => {
    const before = writer.index.waiting
    await indexWaiting(reader, writer)
    const { waiting } = writer.index
    if (waiting < before && waiting >= WAITING) repo.runWhenIdle('index', () => indexQuietly(repo))
  })
}

/**
 * Makes the derived indexes again: the zone maps of logs, the words, the entries of each session, the list of sessions.
 * `onEntry` is called before each entry whose words are read.
 */
export async function reindex(repo: Repo, onEntry: () => void = () => undefined): Promise<void> {
  await repo.write({ bulk: true, plain: true }, async ({ reader, writer }) => {
    await writer.rebuildZoneMaps()
    await writer.index.clear()
    await new Indexer(reader, writer, onEntry).end()
    for await (const session of allSessions(reader)) await coverSession(reader, writer, session)
    await coverPast(reader, writer)
    for await (const { session, parent } of graftsIn(reader)) {
      const entry = await reader.find(parent)
      if (entry !== undefined) writer.index.cover(session, { paths: [entry] })
    }
  })
  await renewList(repo)
}

/** The kinds of refs that say what a session reaches, and by which names it is found. */
const REACHING: ReadonlySet<string> = new Set(['meta', 'HEAD', 'branches', 'labels'])

/** Covers what sessions reached at earlier points in time: removed sessions, and former tips. */
async function coverPast(reader: Reader, writer: Writer): Promise<void> {
  const former = new Map<RefName, Map<string, RefMove>>()
  for await (const { moves } of operationsNewestFirst(reader))
    for (const { name, old } of moves) {
      const kind = parseSessionRef(name)?.kind
      if (old === undefined || kind === undefined || !REACHING.has(kind)) continue
      const values = former.get(name) ?? new Map<string, RefMove>()
      former.set(name, values.set(JSON.stringify(old), { name, old: undefined, new: old }))
    }
  const moves = [...former.values()].flatMap((values) => [...values.values()])
  await coverMoves(reader, writer, moves, new Map())
}

/** Covers the entries that a session reaches, by its logs and refs. */
async function coverSession(reader: Reader, writer: Writer, session: SessionTrunk): Promise<void> {
  const { id, meta, labels } = session
  const entries = new EntrySet()
  // A damaged store can be searched too: its check reports what is missing.
  for (const [log, count] of logsOf(session))
    for await (const { headers } of reader.readLog(log, { from: 0, to: count }))
      for (const { entry } of headers) if (entry !== undefined) entries.add(entry)
  const names = [...(meta.title === null ? [] : [meta.title]), ...labels.keys()]
  const tips = await tipsOf(reader, session, { labels: true })
  const paths = new Set(tips.filter((entry) => !entries.has(entry)))
  // Its own entries may continue those of another session, or of records that were lost.
  for (const entry of entries)
    for (const parent of await parentsOf(reader, entry)) if (!entries.has(parent)) paths.add(parent)
  writer.index.cover(id, { entries, paths: [...paths], time: updatedOf(session), names })
}

/** Returns the parents of an entry; none of a damaged one. */
async function parentsOf(reader: Reader, entry: EntryHandle): Promise<readonly EntryHandle[]> {
  try {
    return (await reader.node(entry)).parents
  } catch (error) {
    if (hasCode(error, 'corrupt')) return []
    throw error
  }
}
