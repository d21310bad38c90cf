import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { damagedFileError } from '../ioerrors.ts'
import { checkDatabase, readManifest } from '../leveldb/manifest.ts'
import { isMissing, makeFolder } from './files.ts'
import { withFile } from './safefile.ts'

/** The number of attempts to copy a database that changes meanwhile. */
const ATTEMPTS = 50

const TABLE = /\.(?:ldb|sst)$/
const LOG = /\.log$/

/** The name of a manifest, with at most 20 digits. */
const MANIFEST = /^MANIFEST-\d{1,20}$/

/** The state of a database's files. A changed database has another fingerprint, an unchanged one may. */
export interface Fingerprint {
  /** The manifest and its size, which change with the set of tables. */
  readonly files: string
  /** The manifest, its size and the sizes of the logs, which change with each write. */
  readonly writes: string
}

/** Returns the fingerprint of a database, open or not; undefined where a file disappears meanwhile. */
export function fingerprintOf(folder: string): Fingerprint | undefined {
  try {
    const manifest = manifestIn(folder)
    const files = `${manifest} ${sizeOf(folder, manifest)}`
    const logs = readdirSync(folder).filter((name) => LOG.test(name))
    const sizes = logs.map((name) => `${name} ${sizeOf(folder, name)}`)
    return { files, writes: [files, ...sizes].join(' ') }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Returns the name of a database's manifest. It is written to as well: it must not lead out of the folder. */
function manifestIn(folder: string): string {
  const path = join(folder, 'CURRENT')
  const name = read(path).toString().trim()
  if (!MANIFEST.test(name)) throw damagedFileError(path, 'it names no manifest')
  return name
}

/** Files that change with each attempt to open a database. */
const NOTES = /^(?:LOCK|LOG|LOG\.old|OWNER\..*)$/

/** Returns a text that changes with each write to a database, also to a damaged one without a manifest. */
export function fileStatsOf(folder: string): string {
  const files = readdirSync(folder).filter((name) => !NOTES.test(name))
  const traces = files.map((name) => {
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false })
    return `${name} ${stats?.size} ${stats?.mtimeMs}`
  })
  return traces.join('\n')
}

const sizeOf = (folder: string, name: string): number => statSync(join(folder, name)).size

/**
 * Copies a database, with everything that was acknowledged before the call, while another process may go on writing it:
 * tables, which never change, are linked, the rest is copied. Throws `busy` where it changes faster than it can be
 * copied, `corrupt` where it is damaged.
 */
export function copyDatabase(from: string, to: string): void {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    makeFolder(to)
    if (tryCopy(from, to)) return
    rmSync(to, { recursive: true, force: true })
  }
  const missing = missingFile(from)
  if (missing !== undefined) throw new SessError('corrupt', `'${from}' lacks ${missing}`)
  throw new SessError('busy', from, { detail: 'it changes faster than it can be copied' })
}

/** Returns the name of a required file that a database lacks; undefined where there is no database, or it changes. */
function missingFile(folder: string): string | undefined {
  const current = join(folder, 'CURRENT')
  if (!isThere(current)) return isThere(folder) ? 'CURRENT' : undefined
  const named = manifestIn(folder)
  return isThere(join(folder, named)) || manifestIn(folder) !== named ? undefined : named
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/**
 * Copies the files of a database. LevelDB writes its manifest before it removes an old file: if the manifest has not
 * changed, no file was missed, and writes that the copy of the log lacks were not acknowledged before. Only tables in
 * the manifest are linked: another one may be incomplete, and the copy may use its number for a table of its own. All
 * are checked first: the copy of a symbolic link is one too, and LevelDB would write through it.
 */
function tryCopy(from: string, to: string): boolean {
  checkDatabase(from, { errorFor: damagedFileError })
  const before = fingerprintOf(from)
  if (!before) return false
  try {
    const [name = ''] = before.files.split(' ')
    const bytes = read(join(from, name))
    const { tables, log, previousLog } = readManifest(bytes)
    for (const file of readdirSync(from)) {
      const number = Number.parseInt(file, 10)
      const source = join(from, file)
      if (TABLE.test(file) && tables.delete(number)) link(source, join(to, file))
      else if (LOG.test(file) && (number >= log || number === previousLog)) copy(source, join(to, file))
    }
    writeFileSync(join(to, name), bytes, { mode: 0o600 })
    writeFileSync(join(to, 'CURRENT'), `${name}\n`, { mode: 0o600 })
    if (fingerprintOf(from)?.files !== before.files) return false
    const [missing] = tables
    if (missing === undefined) return true
    throw new SessError('corrupt', `'${from}' lacks the table ${missing}`)
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

const read = (path: string): Buffer => withFile(path, (file) => readFileSync(file))

/** Copies a regular file by its name, which the system does without this process reading it. */
const copy = (from: string, to: string, mode?: number): void =>
  withFile(from, () => copyFileSync(from, to, mode))

function link(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Some file systems have no links, and some kernels allow none to files of other users.
    if (!CANNOT_LINK.has(code)) throw error
    // A copy is on another volume only where the store cannot be written.
    if (code === 'EXDEV') withFile(from, () => symlinkSync(realpathSync(from), to))
    else copy(from, to, constants.COPYFILE_EXCL)
  }
}

const CANNOT_LINK: ReadonlySet<string> = new Set([
  'EPERM',
  'EXDEV',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
])
