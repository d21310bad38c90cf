import { SessError } from '../../model/errors.ts'
import { isObject, type Json } from '../../model/json.ts'
import type { CommitPoint } from '../../model/operation.ts'
import { isLogId, partsOfLogId } from '../../model/record.ts'
import { Counters } from '../level/counters.ts'
import { written } from '../ioerrors.ts'
import type { JournalLine } from '../journalline.ts'
import { all, behind, type Key, numberAt, oidKey, runKey, SPACE, walKey } from '../level/keys.ts'
import { newLevel, openOwn } from '../leveldb/database.ts'
import { LogReader } from '../level/logs.ts'
import { Objects } from '../level/objects.ts'
import { openPlace, withRow } from '../level/place.ts'
import type { Row } from '../level/storedrecord.ts'
import type { Run } from '../level/entrypage.ts'
import { decodeRun, encodeRun } from '../level/entrypagecodec.ts'
import { seal, unseal } from '../checksum.ts'
import { Table } from '../level/keyvaluestore.ts'
import { Memtable } from '../level/memtable.ts'

/** Bytes that wait before they are written. */
const MUCH = 4 << 20

/** Tells of a check whether it finds damage; what else goes wrong is thrown. */
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
 * Makes a salvaged database one that a store can use: counters behind all that is there, and the index of those entries
 * that are whole down to their root. What is broken is taken out: whoever says it again adds it again.
 */
export async function repairDatabase(folder: string, journal: readonly JournalLine[]): Promise<CommitPoint> {
  const level = newLevel(folder, false)
  await openOwn(level)
  try {
    await checkpointWal(level)
    await written(level.clear({ gte: all(SPACE.oid), lt: behind(all(SPACE.oid)) }), folder)
    const table = new Table(level, () => undefined)
    const known = await count(table, journal)
    await table.commit()
    const objects = new Objects(table)
    for await (const [key, value] of table.scan(all(SPACE.blob)))
      if (isDamaged(() => checkBlob(objects, key, value))) table.put(key, undefined)
    const broken = new Set<Row>()
    for await (const run of runsIn(table)) {
      for (const row of run.rows(run.start, run.end)) {
        const parents = run.parentsAt(row - run.start)
        const isLost = (parent: Row): boolean => broken.has(parent) || isDamaged(() => objects.node(parent))
        const isBroken = isDamaged(() => [run.oid(row), objects.body(row)]) || parents.some(isLost)
        if (isBroken) broken.add(row)
        else table.change(oidKey(run.oid(row)), (rows) => withRow(rows, row))
      }
      const gone = [...run.rows(run.start, run.end)].filter((row) => broken.has(row))
      if (gone.length > 0) forget(table, run, gone)
      if (table.pending > MUCH) await table.commit()
    }
    await table.commit()
    return known
  } finally {
    await level.close()
  }
}

/**
 * Writes what small commits did to its own keys and empties the write-ahead log; commits that build on what is lost are
 * left out.
 */
async function checkpointWal(level: ReturnType<typeof newLevel>): Promise<void> {
  const table = new Table(level, () => undefined)
  const counters = new Counters()
  isDamaged(() => counters.raise(table))
  let memtable: Memtable | undefined
  isDamaged(() => {
    memtable = new Memtable(table, new Objects(table), counters)
  })
  await memtable?.checkpoint()
  await written(level.clear({ gte: walKey(0), lt: behind(all(SPACE.commit)) }), level.location)
}

/** Takes entries out of a run: nothing that is whole leads over them. */
function forget(table: Table, run: Run, rows: readonly Row[]): void {
  const key = runKey(run.start)
  for (const row of rows) run.holes.add(row - run.start)
  table.put(key, run.holes.size === run.count ? undefined : seal(key, encodeRun(run)))
}

function checkBlob(objects: Objects, key: Key, value: Uint8Array): void {
  const { block, index } = openPlace(key, value)
  objects.item(block, index)
}

/** Gives all runs that can be read. */
async function* runsIn(table: Table): AsyncGenerator<Run> {
  for await (const [key, value] of table.scan(all(SPACE.run))) {
    const start = numberAt(key, 1, 6)
    let run: Run | undefined
    if (
      !isDamaged(() => (run = decodeRun(start, unseal(runKey(start), value, `the run at ${start}`)))) &&
      run
    )
      yield run
  }
}

/** Raises the counter of logs above those that a value of the journal names: a log is never begun twice. */
function raiseAbove(counters: Counters, value: Json): void {
  if (isLogId(value)) counters.log = Math.max(counters.log, partsOfLogId(value)[1] + 1)
  else if (Array.isArray(value)) for (const part of value) raiseAbove(counters, part as Json)
  else if (isObject(value)) for (const part of Object.values(value)) raiseAbove(counters, part)
}

/** Raises the counters above all numbers that were ever given, as far as anything tells. */
async function count(table: Table, journal: readonly JournalLine[]): Promise<CommitPoint> {
  const counters = new Counters()
  let isThere = false
  isDamaged(() => (isThere = counters.raise(table)))
  counters.indexed = 0
  for await (const run of runsIn(table)) counters.row = Math.max(counters.row, run.end)
  const freeIn = async (space: number, width: number, least: number): Promise<number> => {
    let most = least
    for await (const [key] of table.scan(all(space), true)) {
      most = Math.max(most, numberAt(key, 1, width) + 1)
      break
    }
    return most
  }
  counters.block = await freeIn(SPACE.block, 6, counters.block)
  for await (const [log] of new LogReader(table, () => [], new Map()).all()) raiseAbove(counters, log)
  counters.operation = await freeIn(SPACE.operation, 6, counters.operation)
  const known = { operation: counters.operation - 1, commit: isThere ? counters.commit : Infinity }
  for (const { operation, commit, refs } of journal) {
    counters.operation = Math.max(counters.operation, operation + 1)
    counters.commit = Math.max(counters.commit, commit)
    for (const [, value] of refs) raiseAbove(counters, value)
  }
  const { key, value } = counters.put()
  table.put(key, value)
  return known
}
