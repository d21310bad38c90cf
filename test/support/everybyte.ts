import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Level } from 'level'
import { readJournal } from '../../src/storage/journal.ts'
import { decodeTextBlob } from '../../src/storage/levelbackend/blob.ts'
import { decodeItems } from '../../src/storage/levelbackend/block.ts'
import { decompress } from '../../src/storage/levelbackend/compression.ts'

const attempt = (read: () => readonly (Uint8Array | string)[]): readonly (Uint8Array | string)[] => {
  try {
    return read()
  } catch {
    return []
  }
}

/** Returns all that bytes may be once they are unpacked, split, and read as texts. */
function readings(value: Uint8Array): (Uint8Array | string)[] {
  const bare = value.subarray(8)
  const unpacked = attempt(() => [decompress(bare)]) as readonly Uint8Array[]
  const items = unpacked.flatMap((bytes) => attempt(() => decodeItems(bytes))) as Uint8Array[]
  const texts = items.flatMap((item) => [
    ...attempt(() => [decodeTextBlob(item)]),
    ...attempt(() => [gunzipSync(item.subarray(1))]),
  ])
  return [value, ...unpacked, ...items, ...texts]
}

/**
 * Returns everything in a store's folder: the names and bytes of its files, each key and value of its databases however it
 * is packed, the lines of its journal. Texts are read as UTF-8.
 */
export async function readingsIn(dir: string): Promise<[where: string, text: string][]> {
  const all: [string, string][] = []
  const add = (where: string, part: Uint8Array | string): void => {
    all.push([where, typeof part === 'string' ? part : Buffer.from(part).toString()])
  }
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const path = join(dir, name)
    add(name, name)
    if (statSync(path).isFile()) add(name, readFileSync(path))
  }
  for (const name of readdirSync(dir).filter((one) => /^db\.\d+$/.test(one))) {
    const level = new Level<Uint8Array, Uint8Array>(join(dir, name), {
      keyEncoding: 'view',
      valueEncoding: 'view',
      createIfMissing: false,
    })
    for await (const [key, value] of level.iterator()) {
      const where = `${name} ${Buffer.from(key).toString('latin1').slice(0, 40)}`
      for (const part of [key, ...readings(value)]) add(where, part)
    }
    await level.close()
  }
  add('refs.journal', JSON.stringify(readJournal(dir).lines))
  return all
}

/** Returns where a text is in a store's folder. */
export const standsIn = async (dir: string, text: string): Promise<string[]> => [
  ...new Set((await readingsIn(dir)).filter(([, part]) => part.includes(text)).map(([where]) => where)),
]
