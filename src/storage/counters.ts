import { decodeStored, encode } from '../model/canonical.ts'
import { COUNTERS } from './keys.ts'
import { seal, unseal } from './seal.ts'
import type { Table } from './table.ts'

/** The next free numbers of a store. They are never given twice, not even after a crash. */
export class Counters {
  row: number
  block: number
  log: number
  operation: number

  constructor(row: number, block: number, log: number, operation: number) {
    this.row = row
    this.block = block
    this.log = log
    this.operation = operation
  }

  static read(table: Table): Counters {
    const value = table.get(COUNTERS)
    if (value === undefined) return new Counters(0, 0, 0, 1)
    const [row, block, log, operation] = decodeStored(
      unseal(COUNTERS, value, 'the list of counters'),
    ) as number[]
    return new Counters(row as number, block as number, log as number, operation as number)
  }

  /** Puts the numbers with whatever is written next. */
  put(table: Table): void {
    table.put(COUNTERS, seal(COUNTERS, encode([this.row, this.block, this.log, this.operation])))
  }
}
