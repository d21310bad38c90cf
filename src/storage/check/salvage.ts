import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { failsChecksum } from '../checksum.ts'
import { isNotFile, withFile } from '../directory/safefile.ts'
import { awaitWrite } from '../ioerrors.ts'
import { SPACE } from '../levelbackend/keys.ts'
import type { KeyChange } from '../levelbackend/keyvalue.ts'
import { newLevel, openOwn } from '../leveldb/database.ts'
import { soundRecords } from '../leveldb/logfile.ts'
import { liveTables } from '../leveldb/manifest.ts'
import { untilMalformed, type Version, versionsIn } from '../leveldb/tablefile.ts'
import { ByteReader } from '../varint.ts'

/** The number of bytes that are written at a time. */
const BATCH = 4 << 20

/** Keyspaces that are rebuilt from others, and are not copied. */
const DERIVED: ReadonlySet<number | undefined> = new Set([
  SPACE.oid,
  SPACE.reader,
  SPACE.words,
  SPACE.coverage,
  SPACE.list,
])

/** The result of a salvage. */
export interface SalvageResult {
  /** The number of pairs that were copied. */
  readonly pairs: number
  /** The number of pairs that were dropped because their own checksum does not match. */
  readonly dropped: number
}

/**
 * Makes a database of everything that is sound in the files of another one, which is not changed and need not open:
 * pairs with matching checksums in blocks of tables and records of logs with matching checksums. Takes memory for each
 * key.
 */
export async function salvage(from: string, to: string): Promise<SalvageResult> {
  const newest = new Map<string, number>()
  for (const { key, sequence } of versions(from)) {
    const name = nameOf(key)
    if ((newest.get(name) ?? -1) < sequence) newest.set(name, sequence)
  }
  const level = newLevel(to, true)
  await openOwn(level)
  try {
    let [pairs, dropped, bytes] = [0, 0, 0]
    let changes: KeyChange[] = []
    const write = async (): Promise<void> => {
      await awaitWrite(level.batch(changes, { sync: true }), to)
      changes = []
      bytes = 0
    }
    for (const { key, value, sequence } of versions(from)) {
      const name = nameOf(key)
      if (newest.get(name) !== sequence) continue
      newest.delete(name)
      if (value === undefined || DERIVED.has(key[0])) continue
      if (failsChecksum(key, value)) {
        dropped++
        continue
      }
      pairs++
      changes.push({ type: 'put', key: key.slice(), value: value.slice() })
      bytes += key.length + value.length
      if (bytes > BATCH) await write()
    }
    await write()
    return { pairs, dropped }
  } finally {
    await level.close()
  }
}

const nameOf = (key: Uint8Array): string =>
  Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')

/**
 * Yields all versions of all keys in the files of a database. Tables that the manifest does not name are ignored where
 * it can be read.
 */
function* versions(folder: string): Generator<Version> {
  const named = liveTables(folder)
  // A truncated manifest names none.
  const live = named?.size === 0 ? undefined : named
  const bytesOf = (name: string): Buffer => withFile(join(folder, name), (file) => readFileSync(file))
  for (const name of readdirSync(folder).sort()) {
    if (isNotFile(join(folder, name))) continue
    const isTable = /^\d+\.(?:ldb|sst)$/.test(name)
    if (isTable && (live?.has(Number.parseInt(name, 10)) ?? true)) yield* versionsIn(bytesOf(name))
    else if (/^\d+\.log$/.test(name))
      for (const record of soundRecords(bytesOf(name))) yield* untilMalformed(changesIn(record))
  }
}

/** Yields the changes of a batch (db/write_batch.cc of LevelDB): first sequence number, count, changes. */
function* changesIn(record: Buffer): Generator<Version> {
  if (record.length < 12) return
  let sequence = Number(record.readBigUInt64LE(0))
  const fields = new ByteReader(record.subarray(12))
  const part = (): Uint8Array => fields.bytes(fields.varint())
  while (fields.left > 0) {
    const isPut = fields.byte() === 1
    const key = part()
    yield { key, value: isPut ? part() : undefined, sequence: sequence++ }
  }
}
