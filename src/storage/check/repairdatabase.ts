import { SessError } from '../../model/errors.ts'
import { isObject, type Json } from '../../model/json.ts'
import type { CommitPoint } from '../../model/operation.ts'
import { isLogId, partsOfLogId } from '../../model/record.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { awaitWrite } from '../ioerrors.ts'
import type { JournalLine } from '../journal.ts'
import { decodeBlobRef } from '../levelbackend/blob.ts'
import { trimCommitLog } from '../levelbackend/commitlog.ts'
import { compressNow, decompress } from '../levelbackend/compression.ts'
import { Counters, MAX_COUNTS } from '../levelbackend/counters.ts'
import { pointersOf } from '../levelbackend/entrypacker.ts'
import type { EntryPage } from '../levelbackend/entrypage.ts'
import { decodeEntryPage, encodeEntryPage } from '../levelbackend/entrypagecodec.ts'
import {
  blockKey,
  COMMIT_LOG,
  commitKey,
  type Key,
  logNumberOf,
  logOfSegment,
  MAX_NUMBER,
  numberAt,
  oidKey,
  operationKey,
  pageKey,
  positionOfSegment,
  prefixEnd,
  SPACE,
  spaceKey,
} from '../levelbackend/keys.ts'
import type { KeyChange } from '../levelbackend/keyvalue.ts'
import { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import { Memtable } from '../levelbackend/memtable.ts'
import { Objects } from '../levelbackend/objects.ts'
import { LogReader } from '../levelbackend/recordlogs.ts'
import { decodeSegment, encodeSegment } from '../levelbackend/recordsegment.ts'
import { addRow, NO_ROW, type Row } from '../levelbackend/rows.ts'
import type { StoredRecord } from '../levelbackend/storedrecord.ts'
import { newLevel, openOwn } from '../leveldb/database.ts'
import { blobRefsOf } from '../rewrite/logcopier.ts'

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
 * Makes a salvaged database usable: restores the counters, indexes the entries that are complete down to their root, and
 * removes other entries, so that an import can add them again, with the records from the first one on that needs them.
 */
export async function repairDatabase(folder: string, journal: readonly JournalLine[]): Promise<CommitPoint> {
  const level = newLevel(folder, false)
  await openOwn(level)
  try {
    await checkpointCommitLog(level)
    for (const space of [SPACE.oid, SPACE.zones])
      await awaitWrite(level.clear({ gte: spaceKey(space), lt: prefixEnd(spaceKey(space)) }), folder)
    const store = new KeyValueStore(level, () => undefined)
    await removeUnbelievable(store)
    const known = await restoreCounters(store, journal)
    await store.commit()
    const objects = new Objects(store)
    for await (const [key, value] of store.scan(spaceKey(SPACE.blob)))
      if (isDamaged(() => checkBlob(objects, key, value))) store.put(key, undefined)
    const broken = new Set<Row>()
    for await (const page of readablePages(store)) {
      let isChanged = false
      // The entries that follow read its changes.
      objects.cachePage(page)
      for (const row of page.rows(page.start, page.end)) {
        const parents = page.parentsAt(row - page.start)
        const isLost = (parent: Row): boolean => broken.has(parent) || isDamaged(() => objects.node(parent))
        const isBroken =
          parents.some((parent) => parent >= row) ||
          isDamaged(() => [page.oid(row), objects.body(row)]) ||
          parents.some(isLost)
        if (isBroken) broken.add(row)
        else {
          isChanged =
            page.point(row, pointersOf(objects, row, parents, page.traits[row - page.start] as number)) ||
            isChanged
          store.change(oidKey(page.oid(row)), (rows) => addRow(rows, row))
        }
      }
      const gone = [...page.rows(page.start, page.end)].filter((row) => broken.has(row))
      if (gone.length > 0 || isChanged) rewritePage(store, page, gone)
      if (store.writes.pendingBytes > MUCH) await store.commit()
    }
    await store.commit()
    await cutLogs(store)
    await store.commit()
    return known
  } finally {
    await level.close()
  }
}

/** Ends each log before its first record that is missing or damaged, or that names a lost entry or lost bytes. */
async function cutLogs(store: KeyValueStore): Promise<void> {
  const objects = new Objects(store)
  const isThere = (row: Row): boolean => row === NO_ROW || !isDamaged(() => objects.node(row))
  const isSound = (record: StoredRecord): boolean =>
    isThere(record.row) &&
    isThere(record.tip) &&
    blobRefsOf(record).every(({ block, index }) => !isDamaged(() => objects.item(block, index)))
  let [log, end, isCut] = ['', 0, false]
  for await (const [key, value] of store.scan(spaceKey(SPACE.log))) {
    if (logOfSegment(key) !== log) [log, end, isCut] = [logOfSegment(key), 0, false]
    const records = isCut || positionOfSegment(key) !== end ? [] : recordsIn(key, value)
    const lost = records.findIndex((record) => !isSound(record))
    const kept = lost < 0 ? records : records.slice(0, lost)
    end += kept.length
    if (records.length > 0 && lost < 0) continue
    isCut = true
    store.put(key, kept.length > 0 ? addChecksum(key, compressNow(encodeSegment(kept), QUALITY)) : undefined)
    if (store.writes.pendingBytes > MUCH) await store.commit()
  }
}

/** Returns the records of a segment; none where it is damaged. */
function recordsIn(key: Key, value: Uint8Array): readonly StoredRecord[] {
  let records: readonly StoredRecord[] = []
  isDamaged(() => (records = decodeSegment(decompress(removeChecksum(key, value, 'a segment')))))
  return records
}

/** Brotli's quality for the segments that are written again. */
const QUALITY = 5

/** Checkpoints the commit log and empties it. Commits that depend on lost data are dropped. */
async function checkpointCommitLog(level: ReturnType<typeof newLevel>): Promise<void> {
  await level.batch(await beginAtFirstGroup(level), { sync: true })
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

/**
 * Removes what has a number that nobody reaches by working: nothing could be numbered after it. Half of what a
 * transaction may begin with is left.
 */
async function removeUnbelievable(store: KeyValueStore): Promise<void> {
  const spaces = [
    [pageKey(MAX_COUNTS.row / 2), SPACE.page],
    [blockKey(MAX_COUNTS.block / 2), SPACE.block],
    [operationKey(MAX_COUNTS.operation / 2), SPACE.operation],
  ] as const
  for (const [from, space] of spaces)
    for await (const key of store.keys(from, prefixEnd(spaceKey(space)))) store.put(key, undefined)
  for await (const key of store.keys(spaceKey(SPACE.log), prefixEnd(spaceKey(SPACE.log))))
    if (logNumberOf(key) >= MAX_COUNTS.log / 2) store.put(key, undefined)
  await store.commit()
}

/** Writes a page that was changed, without the entries of some rows. No complete entry depends on them. */
function rewritePage(store: KeyValueStore, page: EntryPage, rows: readonly Row[]): void {
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

/** Returns what makes the commit log begin with the first group that is there, whatever it says. */
async function beginAtFirstGroup(level: ReturnType<typeof newLevel>): Promise<KeyChange[]> {
  const groups = level.keys({ gte: commitKey(0), lt: commitKey(MAX_NUMBER / 2), limit: 1 })
  const [first] = await groups.all()
  return first ? trimCommitLog(0, numberAt(first, 1, 6)).slice(0, 1) : [{ type: 'del', key: COMMIT_LOG }]
}

/** Raises the counter of logs above the logs in a value of the journal: no number of a log is used twice. */
function raiseLogCounter(counters: Counters, value: Json): void {
  const open: Json[] = [value]
  for (let part = open.pop(); part !== undefined; part = open.pop())
    if (isLogId(part))
      counters.log = Math.max(counters.log, numberAfter(partsOfLogId(part)[1], MAX_COUNTS.log))
    else if (Array.isArray(part)) for (const inner of part) open.push(inner as Json)
    else if (isObject(part)) for (const inner of Object.values(part)) open.push(inner)
}

/** Returns the number after another one, 0 where that is not believed. */
const numberAfter = (number: number, most: number): number => (number < most / 2 ? number + 1 : 0)

/**
 * Raises the counters above all numbers that were used, as far as the database and the journal show. Numbers that nobody
 * reaches by working are ignored, because the next ones would not fit into keys.
 */
async function restoreCounters(store: KeyValueStore, journal: readonly JournalLine[]): Promise<CommitPoint> {
  const counters = new Counters()
  let isThere = false
  isDamaged(() => (isThere = counters.load(store)))
  for (const name of ['row', 'block', 'log', 'operation', 'commit'] as const)
    if (counters[name] > MAX_COUNTS[name] / 2) counters[name] = 0
  counters.operation = Math.max(1, counters.operation)
  counters.indexed = 0
  for await (const page of readablePages(store)) counters.row = Math.max(counters.row, page.end)
  const freeIn = async (space: number, least: number): Promise<number> => {
    for await (const [key] of store.scan(spaceKey(space), true))
      return Math.max(least, numberAt(key, 1, 6) + 1)
    return least
  }
  counters.block = await freeIn(SPACE.block, counters.block)
  for await (const [log] of new LogReader(store, () => [], new Map()).all()) raiseLogCounter(counters, log)
  if (!isThere) counters.dropped = { operation: await droppedBefore(store, journal), id: '' }
  const known = {
    operation: (await freeIn(SPACE.operation, counters.operation)) - 1,
    commit: isThere ? counters.commit : Infinity,
  }
  for (const { commit, refs } of journal) {
    if (commit < MAX_COUNTS.commit / 2) counters.commit = Math.max(counters.commit, commit)
    for (const [, value] of refs) raiseLogCounter(counters, value)
  }
  const { key, value } = counters.put()
  store.put(key, value)
  return known
}

/**
 * Returns the number of the newest operation that gc may have dropped: the one before the oldest that the database or the
 * journal has.
 */
async function droppedBefore(store: KeyValueStore, journal: readonly JournalLine[]): Promise<number> {
  let oldest = journal.reduce((least, { operation }) => Math.min(least, operation), Infinity)
  for await (const [key] of store.scan(spaceKey(SPACE.operation))) {
    oldest = Math.min(oldest, numberAt(key, 1, 6))
    break
  }
  return oldest === Infinity ? 0 : Math.max(0, oldest - 1)
}
