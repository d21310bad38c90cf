import { MemoryLevel } from 'memory-level'

/** A database in memory, of bytes under bytes. */
export type Memory = MemoryLevel<Uint8Array, Uint8Array>

/** Returns an empty one, open. */
export async function memory(): Promise<Memory> {
  const level: Memory = new MemoryLevel({
    keyEncoding: 'view',
    valueEncoding: 'view',
    storeEncoding: 'view',
  })
  await level.open()
  return level
}
