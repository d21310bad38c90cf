import { join } from 'node:path'
import { Level } from 'level'

/** Gives all that the database of a closed store holds, in the order of keys. */
export async function pairsOf(dir: string): Promise<[key: Uint8Array, value: Uint8Array][]> {
  const level = new Level<Uint8Array, Uint8Array>(join(dir, 'db.1'), {
    keyEncoding: 'view',
    valueEncoding: 'view',
    createIfMissing: false,
  })
  const pairs = await level.iterator().all()
  await level.close()
  return pairs
}
