import { appendFileSync, type Dirent, readdirSync, readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { isMissing, namesIn, readText, replaceFile } from '../directory/files.ts'
import { APPEND, isLevelDbName, problemAt, withFile } from '../directory/safefile.ts'
import { checksumFailureAt, damagedFileError, unreadableError } from '../ioerrors.ts'
import { findDamage } from '../leveldb/logfile.ts'
import { checkDatabase, liveTables } from '../leveldb/manifest.ts'
import { tableProblem } from '../leveldb/tablefile.ts'

/**
 * The file that records the tables of the database when it was closed: a line with name, size, modification time and
 * inode number of each. A folder that is copied or unpacked keeps all of them but the inode number, so that no table is
 * skipped because a store from somebody else says that it was checked.
 */
const FILE = 'tables'

/** The file is rewritten beyond this many lines, once most are of tables that were removed. */
const MANY = 512

const TABLE = /^\d+\.(?:ldb|sst)$/
const LOG = /^\d+\.log$/

/** The problem of a file of a database. */
export interface FileDamage {
  /** The name of the file in the database's folder. */
  readonly file: string
  readonly problem: string
}

const isTable = (name: string): boolean => TABLE.test(name)

/** Returns the size and modification time of a file as a text. */
const sizeAndTime = ({ size, mtimeMs }: Stats): string => `${size} ${mtimeMs}`

/** Returns the record of a table: what a change of the file changes, then what a copy of it changes. */
const recordOf = (stats: Stats): string => `${sizeAndTime(stats)} ${stats.ino}`

function recordedTables(dir: string): { readonly tables: Map<string, string>; readonly lines: number } {
  const lines = (readText(join(dir, FILE)) ?? '').split('\n')
  const pairs = lines.flatMap((line) => {
    const [, name, how] = /^(\S+) (\d+ [\d.]+ \d+)$/.exec(line) ?? []
    return name === undefined || how === undefined ? [] : [[name, how] as const]
  })
  return { tables: new Map(pairs), lines: lines.length }
}

/**
 * Throws `corrupt` where a database must not be opened: where its log is damaged before its end, because LevelDB would
 * ignore that silently, or where a table changed since the database was closed and fails its checksums, which LevelDB
 * does not verify. Does not read unchanged tables, nor tables that the manifest does not name, which the holder may be
 * writing. Of tables that were not recorded, and of copies, only the blocks are verified that LevelDB could crash on: a
 * store may come from somebody else. Returns the unchanged tables.
 */
export function checkDatabaseFiles(dir: string, folder: string): Set<string> {
  const { tables } = recordedTables(dir)
  const untouched = new Set<string>()
  let live: ReadonlySet<number> | undefined | 'unread' = 'unread'
  for (const [file, stats] of filesOf(folder)) {
    if (isTable(file)) {
      const how = tables.get(file)
      const isUntouched = how === recordOf(stats)
      if (isUntouched) untouched.add(file)
      if (isUntouched) continue
      if (live === 'unread') live = liveTables(folder)
      if (!isLive(file, live)) continue
    } else if (!LOG.test(file)) continue
    const isCopy = tables.get(file)?.startsWith(`${sizeAndTime(stats)} `) ?? true
    const problem = problemOf(folder, file, { data: !isCopy })
    if (problem !== undefined) throw damagedFileError(join(folder, file), problem)
  }
  return untouched
}

/** Returns the files of a database with their stats. Throws as `checkDatabase`, and `unreadable-path`. */
function filesOf(folder: string): ReadonlyMap<string, Stats> {
  try {
    return checkDatabase(folder, { errorFor: damagedFileError })
  } catch (error) {
    throw error instanceof SessError ? error : unreadableError(folder, error)
  }
}

/**
 * Yields the damaged files of a database. Reads all of its logs and the tables in its manifest; another table is
 * incomplete.
 */
export function* damagedFiles(folder: string): Generator<FileDamage> {
  const names = namesOf(folder)
  const strange = notFilesIn(folder, names)
  for (const [file, problem] of strange) yield { file, problem }
  const live = names.length > 0 ? liveTables(folder) : undefined
  for (const { name: file } of names) {
    if (strange.has(file)) continue
    const isIts = isTable(file) ? isLive(file, live) : LOG.test(file)
    const problem = isIts ? problemOf(folder, file) : undefined
    if (problem !== undefined) yield { file, problem }
  }
}

const isLive = (table: string, live: ReadonlySet<number> | undefined): boolean =>
  live?.has(Number.parseInt(table, 10)) ?? true

/** Returns the names that LevelDB would open and that are no plain files, or too large, with their problems. */
const notFilesIn = (folder: string, names: readonly Dirent[]): ReadonlyMap<string, string> =>
  new Map(
    names.flatMap(({ name }) => {
      const problem = isLevelDbName(name) ? problemAt(join(folder, name)) : undefined
      return problem === undefined ? [] : [[name, problem] as const]
    }),
  )

function namesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (isMissing(error)) return [] // opening it reports what is missing
    throw unreadableError(folder, error)
  }
}

function problemOf(folder: string, file: string, { data = true } = {}): string | undefined {
  let bytes: Buffer
  try {
    bytes = withFile(join(folder, file), (opened) => readFileSync(opened))
  } catch (error) {
    if (isMissing(error)) return undefined // the holder of the database removed it
    throw unreadableError(join(folder, file), error)
  }
  if (isTable(file)) return tableProblem(bytes, { data })
  const at = findDamage(bytes)
  return at === undefined ? undefined : checksumFailureAt(at)
}

/** Returns the tables of a database. */
export const tablesOf = (folder: string): string[] => namesIn(folder).filter(isTable).sort()

/**
 * Records the tables of a database that was just closed. `had` are those before it was closed: the next process may
 * have opened it since and be writing others. LevelDB never changes a table, so those in `untouched` keep their
 * recorded values.
 */
export function recordTables(
  dir: string,
  folder: string,
  had: readonly string[],
  untouched: ReadonlySet<string>,
): void {
  if (had.every((name) => untouched.has(name))) return
  try {
    const { tables, lines } = recordedTables(dir)
    const now = had.flatMap((name) => {
      if (untouched.has(name)) return [[name, tables.get(name) as string] as const]
      const stats = statSync(join(folder, name), { throwIfNoEntry: false })
      return stats ? [[name, recordOf(stats)] as const] : []
    })
    const text = (pairs: typeof now): string => pairs.map(([name, how]) => `${name} ${how}\n`).join('')
    const fresh = now.filter(([name, how]) => tables.get(name) !== how)
    if (lines > MANY && lines > 4 * now.length) replaceFile(join(dir, FILE), text(now))
    else if (fresh.length > 0) withFile(join(dir, FILE), (file) => appendFileSync(file, text(fresh)), APPEND)
  } catch (error) {
    // For instance on a full disk. A table that is not recorded is accepted without a check.
    const isOfTheFile = error instanceof SessError || (error instanceof Error && 'code' in error)
    if (!isOfTheFile) throw error
  }
}
