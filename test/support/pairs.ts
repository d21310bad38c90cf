import { join } from 'node:path'
import { Level } from 'level'

/** Gives all that the database of a closed store holds, in the order of keys. */
export async function pairsOf(dir: string): Promise<[key: Uint8Array, value: Uint8Array][]> {
  const level = databaseOf(dir)
  const pairs = await level.iterator().all()
  await level.close()
  return pairs
}

/** Puts another value under a key of a closed store. */
export async function changePair(
  dir: string,
  key: Uint8Array,
  change: (value: Uint8Array) => Uint8Array,
): Promise<void> {
  const level = databaseOf(dir)
  await level.put(key, change(await level.get(key)))
  await level.close()
}

const databaseOf = (dir: string): Level<Uint8Array, Uint8Array> =>
  new Level(join(dir, 'db.1'), { keyEncoding: 'view', valueEncoding: 'view', createIfMissing: false })
