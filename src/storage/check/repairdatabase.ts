import { SessError } from '../../model/errors.ts'
import { isObject, type Json } from '../../model/json.ts'
import type { CommitPoint } from '../../model/operation.ts'
import { isLogId, partsOfLogId } from '../../model/record.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { awaitWrite } from '../ioerrors.ts'
import type { JournalLine } from '../journal.ts'
import { decodeBlobRef } from '../levelbackend/blob.ts'
import { Counters } from '../levelbackend/counters.ts'
import type { EntryPage } from '../levelbackend/entrypage.ts'
import { decodeEntryPage, encodeEntryPage } from '../levelbackend/entrypagecodec.ts'
import {
  commitKey,
  type Key,
  numberAt,
  oidKey,
  pageKey,
  prefixEnd,
  SPACE,
  spaceKey,
} from '../levelbackend/keys.ts'
import { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import { Memtable } from '../levelbackend/memtable.ts'
import { Objects } from '../levelbackend/objects.ts'
import { LogReader } from '../levelbackend/recordlogs.ts'
import { addRow, type Row } from '../levelbackend/rows.ts'
import { newLevel, openOwn } from '../leveldb/database.ts'

/** The pending bytes beyond which they are written. */
const MUCH = 4 << 20

/** Returns whether a check throws `corrupt`. Throws other errors. */
function isDamaged(check: () => unknown): boolean {
  try {
    check()
    return false
  } catch (error) {
    if (error instanceof SessError && error.code === 'corrupt') return true
    throw error
  }
}

/**
 * Makes a salvaged database usable: restores the counters, and indexes the entries that are complete down to their
 * root. Other entries are removed, so that an import can add them again.
 */
export async function repairDatabase(folder: string, journal: readonly JournalLine[]): Promise<CommitPoint> {
  const level = newLevel(folder, false)
  await openOwn(level)
  try {
    await checkpointCommitLog(level)
    await awaitWrite(level.clear({ gte: spaceKey(SPACE.oid), lt: prefixEnd(spaceKey(SPACE.oid)) }), folder)
    const store = new KeyValueStore(level, () => undefined)
    const known = await restoreCounters(store, journal)
    await store.commit()
    const objects = new Objects(store)
    for await (const [key, value] of store.scan(spaceKey(SPACE.blob)))
      if (isDamaged(() => checkBlob(objects, key, value))) store.put(key, undefined)
    const broken = new Set<Row>()
    for await (const page of readablePages(store)) {
      for (const row of page.rows(page.start, page.end)) {
        const parents = page.parentsAt(row - page.start)
        const isLost = (parent: Row): boolean => broken.has(parent) || isDamaged(() => objects.node(parent))
        const isBroken = isDamaged(() => [page.oid(row), objects.body(row)]) || parents.some(isLost)
        if (isBroken) broken.add(row)
        else store.change(oidKey(page.oid(row)), (rows) => addRow(rows, row))
      }
      const gone = [...page.rows(page.start, page.end)].filter((row) => broken.has(row))
      if (gone.length > 0) removeEntries(store, page, gone)
      if (store.writes.pendingBytes > MUCH) await store.commit()
    }
    await store.commit()
    return known
  } finally {
    await level.close()
  }
}

/** Checkpoints the commit log and empties it. Commits that depend on lost data are dropped. */
async function checkpointCommitLog(level: ReturnType<typeof newLevel>): Promise<void> {
  const store = new KeyValueStore(level, () => undefined)
  const counters = new Counters()
  isDamaged(() => counters.load(store))
  let memtable: Memtable | undefined
  isDamaged(() => {
    memtable = new Memtable(store, new Objects(store), counters)
  })
  await memtable?.checkpoint()
  await awaitWrite(level.clear({ gte: commitKey(0), lt: prefixEnd(spaceKey(SPACE.commit)) }), level.location)
}

/** Removes entries from a page. No complete entry depends on them. */
function removeEntries(store: KeyValueStore, page: EntryPage, rows: readonly Row[]): void {
  const key = pageKey(page.start)
  for (const row of rows) page.holes.add(row - page.start)
  store.put(key, page.holes.size === page.count ? undefined : addChecksum(key, encodeEntryPage(page)))
}

function checkBlob(objects: Objects, key: Key, value: Uint8Array): void {
  const { block, index } = decodeBlobRef(key, value)
  objects.item(block, index)
}

/** Yields all pages that can be read. */
async function* readablePages(store: KeyValueStore): AsyncGenerator<EntryPage> {
  for await (const [key, value] of store.scan(spaceKey(SPACE.page))) {
    const start = numberAt(key, 1, 6)
    let page: EntryPage | undefined
    if (
      !isDamaged(
        () => (page = decodeEntryPage(start, removeChecksum(pageKey(start), value, `the page at ${start}`))),
      ) &&
      page
    )
      yield page
  }
}

/** Raises the counter of logs above the logs in a value of the journal: no number of a log is used twice. */
function raiseLogCounter(counters: Counters, value: Json): void {
  if (isLogId(value)) counters.log = Math.max(counters.log, partsOfLogId(value)[1] + 1)
  else if (Array.isArray(value)) for (const part of value) raiseLogCounter(counters, part as Json)
  else if (isObject(value)) for (const part of Object.values(value)) raiseLogCounter(counters, part)
}

/** Raises the counters above all numbers that were used, as far as the database and the journal show. */
async function restoreCounters(store: KeyValueStore, journal: readonly JournalLine[]): Promise<CommitPoint> {
  const counters = new Counters()
  let isThere = false
  isDamaged(() => (isThere = counters.load(store)))
  counters.indexed = 0
  for await (const page of readablePages(store)) counters.row = Math.max(counters.row, page.end)
  const freeIn = async (space: number, width: number, least: number): Promise<number> => {
    let most = least
    for await (const [key] of store.scan(spaceKey(space), true)) {
      most = Math.max(most, numberAt(key, 1, width) + 1)
      break
    }
    return most
  }
  counters.block = await freeIn(SPACE.block, 6, counters.block)
  for await (const [log] of new LogReader(store, () => [], new Map()).all()) raiseLogCounter(counters, log)
  counters.operation = await freeIn(SPACE.operation, 6, counters.operation)
  const known = { operation: counters.operation - 1, commit: isThere ? counters.commit : Infinity }
  for (const { operation, commit, refs } of journal) {
    counters.operation = Math.max(counters.operation, operation + 1)
    counters.commit = Math.max(counters.commit, commit)
    for (const [, value] of refs) raiseLogCounter(counters, value)
  }
  const { key, value } = counters.put()
  store.put(key, value)
  return known
}
