import { appendFileSync, type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isMissing, readText, replaceFile } from '../directory/files.ts'
import { APPEND, isLevelDbName, isNotFile, NOT_FILE, withFile } from '../directory/safefile.ts'
import { checksumFailureAt, damagedFileError, unreadableError } from '../ioerrors.ts'
import { findDamage } from '../leveldb/logfile.ts'
import { liveTables } from '../leveldb/manifest.ts'
import { tableProblem } from '../leveldb/tablefile.ts'

/** Which tables were left behind, and how: a line for each, its name, size and time of writing. */
const FILE = 'tables'

/** So many lines are rewritten once most of them are of tables that are no more. */
const MANY = 512

const TABLE = /^\d+\.(?:ldb|sst)$/
const LOG = /^\d+\.log$/

/** What is wrong with a file of a database. */
export interface FileDamage {
  /** The name of the file in the database's folder. */
  readonly file: string
  readonly problem: string
}

const isTable = (name: string): boolean => TABLE.test(name)

/** Gives how a file lies there: another text once somebody wrote to it. */
function fileStats(folder: string, name: string): string | undefined {
  const stats = statSync(join(folder, name), { throwIfNoEntry: false })
  return stats && `${stats.size} ${stats.mtimeMs}`
}

function recordedTables(dir: string): { readonly tables: Map<string, string>; readonly lines: number } {
  const lines = (readText(join(dir, FILE)) ?? '').split('\n')
  const pairs = lines.flatMap((line) => {
    const [, name, how] = /^(\S+) (\d+ [\d.]+)$/.exec(line) ?? []
    return name === undefined || how === undefined ? [] : [[name, how] as const]
  })
  return { tables: new Map(pairs), lines: lines.length }
}

/**
 * Throws `corrupt` where a database must not be opened: where its log is damaged in its middle, for LevelDB would pass
 * over what is lost, or where a table was written to since it was left and fails its checksums, for LevelDB does not look
 * at them. Reads the log, and no table that lies as it was left, nor one that the database does not name: who has it may
 * be writing that. Gives the tables that lie as they were left.
 */
export function checkDatabaseFiles(dir: string, folder: string): Set<string> {
  const { tables } = recordedTables(dir)
  const untouched = new Set<string>()
  const names = namesOf(folder)
  const [strange] = notFilesIn(folder, names)
  if (strange) throw damagedFileError(join(folder, strange), NOT_FILE)
  for (const { name: file } of names) {
    if (isTable(file)) {
      const how = tables.get(file)
      const isUntouched = how !== undefined && how === fileStats(folder, file)
      if (isUntouched) untouched.add(file)
      if (how === undefined || isUntouched || !isLive(folder, file)) continue
    } else if (!LOG.test(file)) continue
    const problem = problemOf(folder, file)
    if (problem !== undefined) throw damagedFileError(join(folder, file), problem)
  }
  return untouched
}

/**
 * Gives what is wrong with the files of a database: reads all of its logs and the tables that belong to it.
 * Another one is being written, or was when a process was killed.
 */
export function* damagedFiles(folder: string): Generator<FileDamage> {
  const names = namesOf(folder)
  const strange = notFilesIn(folder, names)
  for (const file of strange) yield { file, problem: NOT_FILE }
  const live = names.length > 0 ? liveTables(folder) : undefined
  for (const { name: file } of names) {
    if (strange.includes(file)) continue
    const isIts = isTable(file) ? isLive(folder, file, live) : LOG.test(file)
    const problem = isIts ? problemOf(folder, file) : undefined
    if (problem !== undefined) yield { file, problem }
  }
}

const isLive = (folder: string, table: string, live = liveTables(folder)): boolean =>
  live?.has(Number.parseInt(table, 10)) ?? true

/** Gives what of a database that LevelDB opens is no file. */
const notFilesIn = (folder: string, names: readonly Dirent[]): string[] =>
  names
    .filter((entry) => !entry.isFile() && isLevelDbName(entry.name) && isNotFile(join(folder, entry.name)))
    .map(({ name }) => name)

function namesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (isMissing(error)) return [] // opening it says what is missing
    throw unreadableError(folder, error)
  }
}

function problemOf(folder: string, file: string): string | undefined {
  let bytes: Buffer
  try {
    bytes = withFile(join(folder, file), (opened) => readFileSync(opened))
  } catch (error) {
    if (isMissing(error)) return undefined // whoever has the database removed it
    throw unreadableError(join(folder, file), error)
  }
  if (isTable(file)) return tableProblem(bytes)
  const at = findDamage(bytes)
  return at === undefined ? undefined : checksumFailureAt(at)
}

/** Gives the tables of a database. */
export const tablesOf = (folder: string): string[] =>
  namesOf(folder)
    .map(({ name }) => name)
    .filter(isTable)

/**
 * Writes down how tables of a database lie that was just closed: of those that it had before, for the next process may
 * have opened it since and be writing others. LevelDB writes to none that was there when it was opened: how these lie was
 * looked at then.
 */
export function recordTables(
  dir: string,
  folder: string,
  had: readonly string[],
  untouched: ReadonlySet<string>,
): void {
  const { tables, lines } = recordedTables(dir)
  const now = had.flatMap((name) => {
    const how = untouched.has(name) ? tables.get(name) : fileStats(folder, name)
    return how === undefined ? [] : [[name, how] as const]
  })
  const text = (pairs: typeof now): string => pairs.map(([name, how]) => `${name} ${how}\n`).join('')
  const fresh = now.filter(([name, how]) => tables.get(name) !== how)
  try {
    if (lines > MANY && lines > 4 * now.length) replaceFile(join(dir, FILE), text(now))
    else if (fresh.length > 0) withFile(join(dir, FILE), (file) => appendFileSync(file, text(fresh)), APPEND)
  } catch (error) {
    // On a full disk, say: a table that is not written down is read as it lies.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
