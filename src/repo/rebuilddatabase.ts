import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../model/errors.ts'
import type { CommitPoint, RefMove, RefValue } from '../model/operation.ts'
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
import { processName } from '../storage/directory/processname.ts'
import { checkQuarantine, newQuarantine } from '../storage/directory/quarantine.ts'
import { isNotFile } from '../storage/directory/safefile.ts'
import { type JournalLine, readJournal } from '../storage/journal.ts'
import { Counters } from '../storage/levelbackend/counters.ts'
import { KeyValueStore } from '../storage/levelbackend/keyvaluestore.ts'
import { operationPut, readOperation } from '../storage/levelbackend/operations.ts'
import { newLevel, openOwn } from '../storage/leveldb/database.ts'
import { numberOperation } from './oplog/operationlog.ts'
import type { FileProblem } from './repairfolder.ts'

/** The result of rebuilding a store's database. */
export interface Rebuilt {
  /** How many pairs of the database were kept. */
  readonly pairs: number
  /** How many were dropped because they fail their checksum. */
  readonly dropped: number
  /** The folder that the former database and the journal were moved to. */
  readonly aside: string
  /** Operations of which only the moves of refs are known, from the journal. */
  readonly operations: readonly number[]
  /** The newest commit that the database itself has; `Infinity` where it has lost its count. */
  readonly known: CommitPoint
}

/** Returns what is wrong with the files of a store's database: reads them all. */
export const fileDamages = (dir: string): FileProblem[] => [
  ...damagedFiles(currentFolder(dir, readGeneration(dir))),
]

/** Returns the folder of the newest database up to a generation: a killed process may not have made that of its own. */
const currentFolder = (dir: string, generation: number): string =>
  databaseFolder(dir, newestDatabase(dir, generation) ?? generation)

/**
 * Makes the next generation of a store's database from all that is sound in the current one, which is moved to `broken`
 * and not changed. Throws `busy` where it is written meanwhile.
 */
export async function rebuildDatabase(dir: string, now: number): Promise<Rebuilt> {
  const generation = readGeneration(dir)
  const [from, to] = [currentFolder(dir, generation), databaseFolder(dir, generation + 1)]
  if (!existsSync(from))
    throw new SessError('corrupt', `its database '${from}' is missing`, {
      remedy: { kind: 'restore-backup' },
    })
  checkQuarantine(dir)
  const fresh = `${to}.${processName()}.new`
  rmSync(fresh, { recursive: true, force: true })
  makeFolder(fresh)
  try {
    const before = fileStatsOf(from)
    const salvaged = await salvage(from, fresh)
    const { lines } = readJournal(dir)
    const known = await repairDatabase(fresh, lines)
    const operations = await repairOperations(fresh, lines)
    // Called after nothing more is acknowledged there.
    const isStill = (): boolean => fileStatsOf(from) === before
    if (!publishGeneration(dir, generation, fresh, isStill)) throw new SessError('busy', dir)
    return { ...salvaged, operations, known, aside: quarantine(dir, from, now) }
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
 * the lost ones.
 */
async function repairOperations(folder: string, journal: readonly JournalLine[]): Promise<number[]> {
  const journalled = new Map<number, JournalLine['refs']>()
  for (const { operation, refs } of journal)
    journalled.set(operation, [...(journalled.get(operation) ?? []), ...refs])
  const level = newLevel(folder, false)
  await openOwn(level)
  try {
    const store = new KeyValueStore(level, () => undefined)
    const counters = new Counters()
    counters.load(store)
    const last = Math.max(0, ...journal.map(({ operation }) => operation), counters.operation - 1)
    const values = new Map<RefName, RefValue | undefined>()
    const lost: number[] = []
    let [previous, time, isChanged] = ['', 0, false]
    for (let number = 1; number <= last; number++) {
      const known = readOperation(store, number)
      if (!known) {
        lost.push(number)
        isChanged = true
      }
      const moves: readonly RefMove[] =
        known?.moves ??
        (journalled.get(number) ?? []).map(([name, value]) => ({
          name,
          old: values.get(name),
          new: value ?? undefined,
        }))
      const { number: _, id, ...deed } = known ?? { number, id: '', time, who: '', command: LOST, moves }
      const operation = isChanged ? numberOperation(deed, number, previous) : { ...deed, number, id }
      if (isChanged) {
        const { key, value } = operationPut(operation)
        store.put(key, value)
      }
      previous = operation.id
      time = operation.time
      for (const move of moves) values.set(move.name, move.new)
    }
    await store.commit()
    return lost
  } finally {
    await level.close()
  }
}

/** The command of an operation that only the journal has. */
const LOST = '(lost)'
