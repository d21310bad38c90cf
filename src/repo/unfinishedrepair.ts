import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../model/errors.ts'
import { isObject, type JsonObject } from '../model/json.ts'
import type { CommitPoint } from '../model/operation.ts'
import { tryParse } from '../model/value.ts'
import { readText, replaceFile, sync } from '../storage/directory/files.ts'
import { REPAIR_FILE } from '../storage/directory/quarantine.ts'

/** What is known of a damaged database that was replaced: the new one does not show what it lacks. */
export interface UnfinishedRepair {
  /** The newest operation and commit that the database itself had; `Infinity` where it had lost its count. */
  readonly known: CommitPoint
  /** How many of its pairs were kept. */
  readonly pairs: number
  /** What the journal cannot tell either; null where it is whole. */
  readonly loss: string | null
}

/** Returns what is known of the database that a killed repair has replaced; undefined where there was none. */
export function unfinishedRepair(dir: string): UnfinishedRepair | undefined {
  const text = readText(join(dir, REPAIR_FILE))
  if (text === undefined) return undefined
  const fields = tryParse(text)
  const { operation, commit, pairs, loss }: JsonObject = isObject(fields) ? fields : {}
  return {
    known: { operation: numberOf(operation), commit: numberOf(commit) },
    pairs: typeof pairs === 'number' ? pairs : 0,
    loss: typeof loss === 'string' ? loss : null,
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Infinity)

/** Notes that the database is being replaced. */
export function beginRepair(dir: string, { known, pairs, loss }: UnfinishedRepair): void {
  // JSON has no infinity: it becomes null.
  replaceFile(join(dir, REPAIR_FILE), `${JSON.stringify({ ...known, pairs, loss })}\n`)
}

/** Notes that the repair is complete. */
export function endRepair(dir: string): void {
  rmSync(join(dir, REPAIR_FILE), { force: true })
  sync(dir)
}

/** Throws `corrupt` where a repair has replaced the database and was killed: what could be recovered is not there yet. */
export function checkRepairEnded(dir: string): void {
  if (unfinishedRepair(dir)) throw new SessError('corrupt', UNFINISHED)
}

/** The problem of such a store. */
export const UNFINISHED = 'a repair of it was stopped before it was complete'
