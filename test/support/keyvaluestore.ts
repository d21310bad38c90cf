import { KeyValueStore } from '../../src/storage/levelbackend/keyvaluestore.ts'
import { memory } from './memory.ts'

/** Returns an empty table in memory. */
export async function memoryKeyValues(): Promise<KeyValueStore> {
  const level = await memory()
  return new KeyValueStore(level, () => undefined)
}
