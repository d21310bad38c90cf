import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Level } from 'level'
import { firstLoggedGroup, readCommitLog } from '../../src/storage/levelbackend/commitlog.ts'
import { LevelBackend } from '../../src/storage/levelbackend/levelbackend.ts'

/** Returns all that the database of a closed store holds, in the order of keys, once all is in its place. */
export async function pairsOf(dir: string): Promise<[key: Uint8Array, value: Uint8Array][]> {
  await place(dir)
  const level = databaseOf(dir)
  const pairs = await level.iterator().all()
  await level.close()
  return pairs
}

/** Puts another value under a key of a closed store in which all is in its place. */
export async function changePair(
  dir: string,
  key: Uint8Array,
  change: (value: Uint8Array) => Uint8Array,
): Promise<void> {
  await place(dir)
  const level = databaseOf(dir)
  await level.put(key, change(await level.get(key)))
  await level.close()
}

/** Checkpoints the commit log. */
async function place(dir: string): Promise<void> {
  const level = databaseOf(dir)
  await level.open()
  if ([...readCommitLog(level, firstLoggedGroup(level))].length === 0) return level.close()
  const backend = new LevelBackend(level, { existing: true })
  await backend.begin({ bulk: true }).commit()
  await backend.close()
}

const folderOf = (dir: string): string =>
  join(dir, `db.${readFileSync(join(dir, 'generation'), 'utf8').trim()}`)

const databaseOf = (dir: string): Level<Uint8Array, Uint8Array> =>
  new Level(folderOf(dir), { keyEncoding: 'view', valueEncoding: 'view', createIfMissing: false })

/** Puts a pair into a closed store. */
export async function addPair(dir: string, key: Uint8Array, value: Uint8Array): Promise<void> {
  await place(dir)
  const level = databaseOf(dir)
  await level.put(key, value)
  await level.close()
}

/** Removes a pair of a closed store, so that nothing shows that it was there. */
export async function removePair(dir: string, key: Uint8Array): Promise<void> {
  await place(dir)
  const level = databaseOf(dir)
  await level.del(key)
  await level.close()
}
