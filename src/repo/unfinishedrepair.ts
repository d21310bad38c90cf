import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import type { CommitPoint } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import { tryParse } from '../model/value.ts'
import { readText, replaceFile, sync } from '../storage/directory/files.ts'
import { REPAIR_FILE } from '../storage/directory/quarantine.ts'

/** Facts about a damaged database that a repair replaces: the new database does not show which data is missing. */
export interface UnfinishedRepair {
  /** The newest operation and commit that the database itself had; `Infinity` where it had lost its count. */
  readonly known: CommitPoint
  /** Whether nothing of it could be kept. */
  readonly isEmpty: boolean
  /** Whether the journal had lost its end. */
  readonly torn: boolean
  /** The number of damaged lines of the journal. */
  readonly damaged: number
  /** The refs whose newest value is lost, once that is determined. */
  readonly lost: readonly RefName[]
}

/** Returns the record of an unfinished repair; undefined where there is none. */
export function unfinishedRepair(dir: string): UnfinishedRepair | undefined {
  const text = readText(join(dir, REPAIR_FILE))
  if (text === undefined) return undefined
  const value = tryParse(text)
  const { operation, commit, isEmpty, torn, damaged, lost }: JsonObject = isObject(value) ? value : {}
  return {
    known: { operation: countOr(Infinity, operation), commit: countOr(Infinity, commit) },
    isEmpty: isEmpty === true,
    torn: torn === true,
    damaged: countOr(0, damaged),
    lost: Array.isArray(lost) ? (lost.filter((name) => typeof name === 'string') as RefName[]) : [],
  }
}

const countOr = (other: number, value: Json | undefined): number =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : other

/** Writes the record of a repair that replaces the database. */
export function recordRepair(dir: string, repair: UnfinishedRepair): void {
  const { known, isEmpty, torn, damaged, lost } = repair
  // JSON has no infinity: it becomes null.
  const text = JSON.stringify({ ...known, isEmpty, torn, damaged, lost })
  replaceFile(join(dir, REPAIR_FILE), `${text}\n`)
}

/** Removes the record of a repair that is complete, or that changed nothing. */
export function forgetRepair(dir: string): void {
  rmSync(join(dir, REPAIR_FILE), { force: true })
  sync(dir)
}

/** The message of the finding for a store with such a record. */
export const UNFINISHED = 'an earlier repair did not finish'
