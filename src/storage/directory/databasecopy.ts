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
import { readManifest } from '../leveldb/manifest.ts'
import { isMissing, makeFolder } from './files.ts'
import { withFile } from './safefile.ts'

/** Copying begins again so often where the database changes meanwhile. */
const ATTEMPTS = 50

const TABLE = /\.(?:ldb|sst)$/
const LOG = /\.log$/

/** What a database consists of at a moment: another where it is, or may be, another. */
export interface Fingerprint {
  /** The files that belong to it. */
  readonly files: string
  /** The files and how far its newest writes go. */
  readonly writes: string
}

/** Gives the fingerprint of a database, open or not; undefined while it changes so that it cannot be taken. */
export function fingerprintOf(folder: string): Fingerprint | undefined {
  try {
    const manifest = read(join(folder, 'CURRENT')).toString().trim()
    // The name is written to as well: it must not lead out of the folder.
    if (manifest.includes('/')) throw damagedFileError(join(folder, 'CURRENT'), 'it names no manifest')
    const files = `${manifest} ${sizeOf(folder, manifest)}`
    const logs = readdirSync(folder).filter((name) => LOG.test(name))
    const sizes = logs.map((name) => `${name} ${sizeOf(folder, name)}`)
    return { files, writes: [files, ...sizes].join(' ') }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** LevelDB's own notes, which whoever tries to open a database writes to. */
const NOTES = /^(?:LOCK|LOG|LOG\.old|OWNER\..*)$/

/** Gives what is another text once somebody wrote to a database, be it damaged or lack what says which files are its own. */
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
 * Makes a folder that holds all that a database had acknowledged when this was called, though another process may go on
 * writing it: its tables, which never change, are linked, the rest is copied. Throws `busy` where it changes faster
 * than it can be copied.
 */
export function copyDatabase(from: string, to: string): void {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    makeFolder(to)
    if (tryCopy(from, to)) return
    rmSync(to, { recursive: true, force: true })
  }
  throw new SessError('busy', from, { detail: 'it changes faster than it can be copied' })
}

/**
 * Copies what belongs to a database. It says what that is before it removes an old file: as long as it says the same, no
 * file was missed, and what the copy of its log lacks at its end was not acknowledged before. Only tables that it names
 * are linked: another one may be in the making, and the copy may give its number to a table of its own.
 */
function tryCopy(from: string, to: string): boolean {
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

/** Copies a file by its name, which the system does by itself, once it is known to be one. */
const copy = (from: string, to: string, mode?: number): void =>
  withFile(from, () => copyFileSync(from, to, mode))

function link(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Some file systems know no links, and some kernels allow none to files of others.
    if (!CANNOT_LINK.has(code)) throw error
    // A copy in the temporary folder is made of a store to which nobody, or hardly anybody, can write.
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
