import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../model/errors.ts'
import type { RefMove, RefValue } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import { damagedFiles } from '../storage/check/databasefiles.ts'
import { repairDatabase } from '../storage/check/repairdatabase.ts'
import { salvage } from '../storage/check/salvage.ts'
import { fileStatsOf } from '../storage/directory/databasecopy.ts'
import { makeFolder } from '../storage/directory/files.ts'
import {
  databaseFolder,
  newestDatabase,
  publishGeneration,
  readGeneration,
} from '../storage/directory/generation.ts'
import { forgetWriter } from '../storage/directory/identity.ts'
import { temporaryEnd } from '../storage/directory/processname.ts'
import {
  checkQuarantine,
  newQuarantine,
  quarantineFormer,
  quarantineStray,
} from '../storage/directory/quarantine.ts'
import { checkFolder, isNotFile } from '../storage/directory/safefile.ts'
import { type Journal, type JournalLine, readJournal } from '../storage/journal.ts'
import { undefinedIfCorrupt } from '../storage/levelbackend/blockreader.ts'
import { Counters, MAX_COUNTS } from '../storage/levelbackend/counters.ts'
import { operationKey, prefixEnd, SPACE, spaceKey } from '../storage/levelbackend/keys.ts'
import { KeyValueStore } from '../storage/levelbackend/keyvaluestore.ts'
import { numberOfOperation, operationPut, readOperation } from '../storage/levelbackend/operations.ts'
import { newLevel, openOwn } from '../storage/leveldb/database.ts'
import { type DroppedOperations, NONE_DROPPED } from '../storage/rewrite/scope.ts'
import { hasValidId, numberOperation } from './oplog/operationlog.ts'
import type { FileProblem } from './repairfolder.ts'
import { forgetRepair, recordRepair, type UnfinishedRepair, unfinishedRepair } from './unfinishedrepair.ts'

/** The result of rebuilding a store's database. */
export interface Rebuilt extends UnfinishedRepair {
  /** How many pairs of the database were kept. */
  readonly pairs: number
  /** How many were dropped because they fail their checksum. */
  readonly dropped: number
  /** The folder that the former database and the journal were moved to. */
  readonly aside: string
  /** Operations of which only the moves of refs are known, from the journal. */
  readonly operations: readonly number[]
}

/** Returns what is wrong with the files of a store's database: reads them all. */
export const fileDamages = (dir: string): FileProblem[] => [
  ...damagedFiles(currentFolder(dir, readGeneration(dir))),
]

/**
 * Returns the folder of the newest database up to a generation: a killed process may not have made that of its own.
 * Throws `corrupt` where it is a link: it may lead to the database of another store, which a repair would copy here.
 */
function currentFolder(dir: string, generation: number): string {
  const folder = databaseFolder(dir, newestDatabase(dir, generation) ?? generation)
  checkFolder(folder)
  return folder
}

/**
 * Makes the next generation of a store's database from all that is sound in the current one, which is moved to `broken`
 * and not changed. Throws `busy` where it is written meanwhile. The caller calls
 * `forgetRepair` once the repair is complete.
 */
export async function rebuildDatabase(dir: string, now: number): Promise<Rebuilt> {
  const generation = readGeneration(dir)
  const [from, to] = [currentFolder(dir, generation), databaseFolder(dir, generation + 1)]
  if (!existsSync(from))
    throw new SessError('corrupt', `its database '${from}' is missing`, {
      remedy: { kind: 'restore-backup' },
    })
  const unfinished = unfinishedRepair(dir)
  checkQuarantine(dir)
  quarantineStray(dir, generation)
  if (unfinished) quarantineFormer(dir, generation, from)
  const fresh = `${to}.${temporaryEnd()}`
  makeFolder(fresh)
  try {
    const before = fileStatsOf(from)
    const salvaged = await salvage(from, fresh)
    const journal = readJournal(dir)
    const known = await repairDatabase(fresh, journal.lines)
    const operations = await repairOperations(fresh, journal)
    const { torn, lines, damaged } = journal
    const isEmpty = salvaged.pairs === 0
    const repair = unfinished ?? { known, isEmpty, torn: torn || lines.length === 0, damaged, lost: [] }
    recordRepair(dir, repair)
    // Called after nothing more is acknowledged there.
    const isStill = (): boolean => fileStatsOf(from) === before
    if (!publishGeneration(dir, generation, fresh, isStill)) {
      // Where another repair has published its own, the record is that one's too.
      if (!unfinished && readGeneration(dir) === generation) forgetRepair(dir)
      throw new SessError('busy', dir)
    }
    forgetWriter(dir)
    return { ...salvaged, ...repair, operations, aside: quarantine(dir, from, now) }
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw error
  }
}

/** Moves a damaged database to a folder of its own, copies the journal there, and returns the folder. */
function quarantine(dir: string, database: string, now: number): string {
  const aside = newQuarantine(dir, now)
  const journal = join(dir, 'refs.journal')
  if (existsSync(journal) && !isNotFile(journal)) copyFileSync(journal, join(aside, 'refs.journal'))
  renameSync(database, join(aside, 'database'))
  return aside
}

/**
 * Replaces lost operations by the moves of refs in the journal, and chains all later ones again. Returns the numbers of
 * the lost ones. More than a few that are lost are not believed to have been there: an operation or a counter may claim
 * any number, and nothing would be numbered after it soon.
 */
async function repairOperations(folder: string, { lines, first }: Journal): Promise<number[]> {
  const journalled = new Map<number, JournalLine['refs'][number][]>()
  for (const { operation, refs } of lines) {
    const others = journalled.get(operation) ?? []
    for (const ref of refs) others.push(ref)
    journalled.set(operation, others)
  }
  const level = newLevel(folder, false)
  await openOwn(level)
  try {
    const store = new KeyValueStore(level, () => undefined)
    const counters = new Counters()
    counters.load(store)
    const { dropped, latest } = await believedOperations(store, counters, [...journalled.keys()])
    // Each operation took a commit at least.
    const commit = Math.max(counters.commit, latest)
    Object.assign(counters, { dropped, operation: latest + 1, commit })
    const after = operationKey(latest + 1)
    for await (const key of store.keys(after, prefixEnd(spaceKey(SPACE.operation)))) store.put(key, undefined)
    if (first && !undefinedIfCorrupt(() => readOperation(store, first.operation))) {
      // The refs that the beginning of the journal lacks were removed before, by an operation that nothing else tells of.
      const begun = new Set(first.refs.map(([name]) => name))
      const moves = journalled.get(first.operation) ?? []
      for await (const [key] of store.scan(spaceKey(SPACE.ref))) {
        const name = Buffer.from(key.subarray(1)).toString() as RefName
        if (!begun.has(name)) moves.unshift([name, null])
      }
      journalled.set(first.operation, moves)
    }
    const values = new Map<RefName, RefValue | undefined>()
    const lost: number[] = []
    // Those that a collection dropped are not lost. Their last id is unknown where the counters are lost.
    let [previous, time, isChanged] = [dropped.id, 0, dropped.operation > 0 && dropped.id === '']
    for (let number = dropped.operation + 1; number <= latest; number++) {
      const known = undefinedIfCorrupt(() => readOperation(store, number))
      if (!known) lost.push(number)
      isChanged ||= !known || !hasValidId(known, previous)
      const moves: readonly RefMove[] =
        known?.moves ??
        (journalled.get(number) ?? []).map(([name, value]) => ({
          name,
          old: values.get(name),
          new: value ?? undefined,
        }))
      const by = { actor: 'program', command: moves.length > 0 ? RECOVERED : LOST } as const
      const { number: _, id, ...deed } = known ?? { number, id: '', time, who: '', ...by, moves }
      const operation = isChanged ? numberOperation(deed, number, previous) : { ...deed, number, id }
      if (isChanged) {
        const { key, value } = operationPut(operation)
        store.put(key, value)
      }
      previous = operation.id
      time = operation.time
      for (const move of moves) values.set(move.name, move.new)
    }
    const { key, value } = counters.put()
    store.put(key, value)
    await store.commit()
    return lost
  } finally {
    await level.close()
  }
}

/** So many operations are made again in any case, and as many as there are. */
const FEW = 1000

/** Returns which operations a store had: all after the newest dropped one, up to the latest. */
async function believedOperations(
  store: KeyValueStore,
  { dropped: claimed, operation: next }: Counters,
  journalled: readonly number[],
): Promise<{ readonly dropped: DroppedOperations; readonly latest: number }> {
  const stored: number[] = []
  const space = spaceKey(SPACE.operation)
  for await (const key of store.keys(space, prefixEnd(space))) stored.push(numberOfOperation(key))
  // A collection leaves none of those that it drops.
  const isDropped = claimed.operation < (stored[0] ?? next) && claimed.operation < MAX_COUNTS.operation / 2
  let dropped = isDropped ? claimed : NONE_DROPPED
  const known = [...new Set([...stored, ...journalled])].sort((a, b) => a - b)
  let left = Math.max(FEW, known.length)
  let latest = dropped.operation
  for (const number of [...known, next - 1]) {
    if (number <= latest) continue
    const missing = number - latest - 1
    // Where the counters are lost, nothing else tells that operations were dropped.
    const isFirst = latest === 0 && number === stored[0] && number < MAX_COUNTS.operation / 2
    if (missing > left && isFirst) dropped = { operation: number - 1, id: '' }
    else if (missing > left) break
    else left -= missing
    latest = number
  }
  return { dropped, latest }
}

/** The command of an operation of which the journal has the moves, and of one that left nothing. */
const RECOVERED = '(recovered)'
const LOST = '(lost)'
