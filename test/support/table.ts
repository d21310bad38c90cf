import { Table } from '../../src/storage/level/keyvaluestore.ts'
import { memory } from './memory.ts'

/** Gives an empty table in memory. */
export async function memoryTable(): Promise<Table> {
  const level = await memory()
  return new Table(level, () => undefined)
}
