import { decodeStored, encode } from '../model/canonical.ts'
import { SessError } from '../model/errors.ts'
import { COUNTERS } from './keys.ts'
import { seal, unseal } from './seal.ts'
import type { Table } from './table.ts'

/** The next free numbers of a store, never given twice, not even after a crash; and how many commits it has seen. */
export class Counters {
  row: number
  block: number
  log: number
  operation: number
  commit: number
  /** The row up to which the index of words goes. */
  indexed: number

  constructor(row: number, block: number, log: number, operation: number, commit: number, indexed: number) {
    this.row = row
    this.block = block
    this.log = log
    this.operation = operation
    this.commit = commit
    this.indexed = indexed
  }

  /** Reads the numbers. A database that was made before has them: without them it would give numbers again. */
  static read(table: Table, existing: boolean): Counters {
    const value = table.get(COUNTERS)
    if (value === undefined && existing) throw new SessError('corrupt', 'the list of counters is missing')
    if (value === undefined) return new Counters(0, 0, 0, 1, 0, 0)
    const numbers = decodeStored(unseal(COUNTERS, value, 'the list of counters')) as number[]
    const [row = 0, block = 0, log = 0, operation = 1, commit = 0, indexed = 0] = numbers
    return new Counters(row, block, log, operation, commit, indexed)
  }

  /** Puts the numbers with whatever is written next. */
  put(table: Table): void {
    const numbers = [this.row, this.block, this.log, this.operation, this.commit, this.indexed]
    table.put(COUNTERS, seal(COUNTERS, encode(numbers)))
  }
}
