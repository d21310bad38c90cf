import { KeyValueStore } from '../../src/storage/level/keyvaluestore.ts'
import { memory } from './memory.ts'

/** Gives an empty table in memory. */
export async function memoryKeyValues(): Promise<KeyValueStore> {
  const level = await memory()
  return new KeyValueStore(level, () => undefined)
}
