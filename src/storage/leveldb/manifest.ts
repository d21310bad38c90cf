import { readdirSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../model/errors.ts'
import { isMissing, readText } from '../directory/files.ts'
import {
  checkDatabaseFolder,
  type DatabaseChecks,
  isNotFile,
  notFileError,
  withFile,
} from '../directory/safefile.ts'
import { ByteReader } from '../varint.ts'
import { recordsIn } from './logfile.ts'

/** The files of a LevelDB database, by the numbers in their names. */
export interface Manifest {
  readonly tables: Set<number>
  /** Logs from this number on hold writes that are in no table yet. */
  readonly log: number
  /** The number of a log before it that does too; 0 for none. */
  readonly previousLog: number
  /** The number that LevelDB gives to the next file. */
  readonly next: number
}

/** Skips a text with its length. */
const skipText = (fields: ByteReader): void => void fields.bytes(fields.varint())

/**
 * Reads which files belong to a database from its manifest, a log of version edits (db/version_edit.cc of LevelDB).
 * Throws a RangeError where it is none.
 */
export function readManifest(bytes: Buffer): Manifest {
  const tables = new Set<number>()
  let [log, previousLog, next] = [0, 0, 0]
  for (const record of recordsIn(bytes)) {
    const fields = new ByteReader(record)
    while (fields.left > 0) {
      const tag = fields.varint()
      if (tag === 1) skipText(fields)
      else if (tag === 2) log = fields.varint()
      else if (tag === 9) previousLog = fields.varint()
      else if (tag === 3) next = fields.varint()
      else if (tag === 4) fields.varint()
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
  return { tables, log, previousLog, next }
}

/** The names of files that LevelDB creates, truncating an existing file of the same name, and their numbers. */
const NEW = /^(?:MANIFEST-(\d+)|(\d+)\.(?:ldb|sst|log|dbtmp))$/

/**
 * Checks a database right before LevelDB opens it, as `checkDatabaseFolder` does. LevelDB reads the file that CURRENT
 * names, whatever it is, so that must be a manifest of the folder. A file that has another name too must have a number
 * that LevelDB does not give again, because it would be overwritten.
 */
export function checkDatabase(folder: string, checks: DatabaseChecks = {}): ReadonlyMap<string, Stats> {
  const { errorFor = notFileError } = checks
  const files = checkDatabaseFolder(folder, checks)
  const current = `${folder}/CURRENT`
  const text = files.has('CURRENT') ? readText(current) : undefined
  if (text === undefined) return files
  if (!/^MANIFEST-\d{1,20}\n$/.test(text)) throw errorFor(current, 'it names no manifest')
  let next: number | undefined
  for (const [name, stats] of files) {
    const [, manifest, other] = NEW.exec(name) ?? []
    const number = manifest ?? other
    if (number === undefined || (stats.nlink < 2 && !stats.isSymbolicLink())) continue
    next ??= nextIn(`${folder}/${text.trim()}`)
    if (Number(number) < next) continue
    // A process that opened it meanwhile wrote another manifest and removed this one.
    if (readText(current) !== text) return checkDatabase(folder, checks)
    throw errorFor(`${folder}/${name}`, 'it has another name, and LevelDB would overwrite it')
  }
  return files
}

/** Returns the number of the next file by a manifest, 0 where that is missing or damaged. */
function nextIn(manifest: string): number {
  try {
    return withFile(manifest, (file) => readManifest(readFileSync(file))).next
  } catch (error) {
    // A file that the system cannot read now may be sound.
    if (error instanceof RangeError || isMissing(error) || hasCode(error, 'corrupt')) return 0
    throw error
  }
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
