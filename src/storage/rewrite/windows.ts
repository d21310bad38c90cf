import { handleOf } from '../entrynode.ts'
import { behind, numberAt, runKey, SPACE } from '../keys.ts'
import type { Row } from '../record.ts'
import { RUN, type Run } from '../runs/run.ts'
import { decodeRun } from '../runs/runcodec.ts'
import { unseal } from '../seal.ts'
import type { Table } from '../table.ts'
import type { Kept } from './kept.ts'
import type { Source } from './source.ts'

/** Up to RUN rows that begin at a multiple of it, of which some are to be taken. */
export interface Window {
  readonly start: Row
  /** What of it was taken before. */
  readonly taken: Run | undefined
  /** The rows that are to be taken. */
  readonly fresh: readonly Row[]
}

const RUNS = Uint8Array.of(SPACE.run)

function runAt(table: Table, start: Row): Run | undefined {
  const key = runKey(start)
  const value = table.get(key)
  return value && decodeRun(start, unseal(key, value, `the run at ${start}`))
}

/** Gives in the order of rows the windows that hold entries which are kept and were not taken yet. */
export async function* windowsOf(
  { table }: Source,
  target: Table,
  { entries }: Kept,
): AsyncGenerator<Window> {
  let start = -1
  let fresh: Row[] = []
  let taken: Run | undefined
  for await (const [key, value] of table.range(RUNS, behind(RUNS))) {
    const first = numberAt(key, 1, 6)
    if (first - (first % RUN) !== start) {
      if (fresh.length > 0) yield { start, taken, fresh }
      start = first - (first % RUN)
      fresh = []
      taken = runAt(target, start)
    }
    const run = decodeRun(first, unseal(key, value, `the run at ${first}`))
    for (const row of run.rows(run.start, run.end))
      if (entries.has(handleOf(row)) && !taken?.has(row)) fresh.push(row)
  }
  if (fresh.length > 0) yield { start, taken, fresh }
}
