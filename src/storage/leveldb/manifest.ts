import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from '../directory/files.ts'
import { isNotFile, withFile } from '../directory/safefile.ts'
import { ByteReader } from '../varint.ts'
import { recordsIn } from './logfile.ts'

/** The files of a LevelDB database, by the numbers in their names. */
export interface Manifest {
  readonly tables: Set<number>
  /** Logs from this number on hold writes that are in no table yet. */
  readonly log: number
  /** The number of a log before it that does too; 0 for none. */
  readonly previousLog: number
}

/** Skips a text with its length. */
const skipText = (fields: ByteReader): void => void fields.bytes(fields.varint())

/**
 * Reads which files belong to a database from its manifest, a log of version edits (db/version_edit.cc of LevelDB).
 * Throws a RangeError where it is none.
 */
export function readManifest(bytes: Buffer): Manifest {
  const tables = new Set<number>()
  let [log, previousLog] = [0, 0]
  for (const record of recordsIn(bytes)) {
    const fields = new ByteReader(record)
    while (fields.left > 0) {
      const tag = fields.varint()
      if (tag === 1) skipText(fields)
      else if (tag === 2) log = fields.varint()
      else if (tag === 9) previousLog = fields.varint()
      else if (tag === 3 || tag === 4) fields.varint()
      else if (tag === 5) {
        fields.varint()
        skipText(fields)
      } else if (tag === 6) {
        fields.varint()
        tables.delete(fields.varint())
      } else if (tag === 7) {
        fields.varint()
        tables.add(fields.varint())
        fields.varint()
        skipText(fields)
        skipText(fields)
      } else throw new RangeError(`a manifest has an unknown field ${tag}`)
    }
  }
  return { tables, log, previousLog }
}

/** Returns the tables of a database, or undefined where its manifest cannot be read. */
export function liveTables(folder: string): ReadonlySet<number> | undefined {
  const manifests = readdirSync(folder).filter((name) => name.startsWith('MANIFEST-'))
  // The one that CURRENT names is whole; where that is lost, the newest one is the one in force.
  const current = join(folder, 'CURRENT')
  const named = (isNotFile(current) ? undefined : readText(current))?.trim() ?? ''
  const name = manifests.includes(named) ? named : (manifests.sort().at(-1) ?? '')
  try {
    return withFile(join(folder, name), (file) => readManifest(readFileSync(file))).tables
  } catch {
    return undefined // then every table counts
  }
}
