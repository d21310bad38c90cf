import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { asSessError } from '../model/errors.ts'
import { iso } from '../model/time.ts'
import { appendPrivate, LIVE, textOf } from './livefolder.ts'

/** Something that kept a session from being saved by itself. */
export interface Fault {
  readonly time: string
  readonly code: string
  readonly message: string
  readonly path: string | null
  readonly store: string | null
}

/** The size from which the file of faults is set aside, and the number of faults that are read. */
const [MAX_BYTES, MAX_FAULTS] = [128 << 10, 20]

/** Adds a fault to the file of faults. Throws nothing: where that fails too, nobody is there to tell. */
export function addFault(
  folder: string,
  error: unknown,
  { now, path, store }: { readonly now: number; readonly path: string | null; readonly store: string | null },
): void {
  const { code, message } = asSessError(error)
  const fault: Fault = { time: iso(now) ?? '', code, message, path, store }
  const file = join(folder, LIVE.faults)
  try {
    if (appendPrivate(file, `${JSON.stringify(fault)}\n`) > MAX_BYTES) renameSync(file, `${file}.old`)
  } catch {
    // A full disk has no room for it either.
  }
}

/** Returns the newest faults, newest first. */
export function faultsOf(folder: string): Fault[] {
  const lines = (textOf(join(folder, LIVE.faults)) ?? '').split('\n')
  const faults: Fault[] = []
  for (const line of lines.reverse()) {
    if (faults.length >= MAX_FAULTS) break
    try {
      if (line !== '') faults.push(JSON.parse(line) as Fault)
    } catch {
      // Cut off by a full disk.
    }
  }
  return faults
}
