import type { Counters } from '../counters.ts'
import type { Objects } from '../objects.ts'
import type { Table } from '../table.ts'

/** A database as what is written anew reads it. */
export interface Source {
  readonly table: Table
  readonly objects: Objects
  readonly counters: Counters
}
