import { MemoryLevel } from 'memory-level'
import { Table } from '../../src/storage/table.ts'

/** Gives an empty table in memory. */
export async function memoryTable(): Promise<Table> {
  const level = new MemoryLevel<Uint8Array, Uint8Array>({
    keyEncoding: 'view',
    valueEncoding: 'view',
    storeEncoding: 'view',
  })
  await level.open()
  return new Table(level, () => undefined)
}
