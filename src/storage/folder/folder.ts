import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { unreadable, writeFault } from '../fault.ts'
import { withFile } from './openfile.ts'
import { ownName } from './process.ts'

/** The version of everything in a store's folder. A newer one is refused. */
export const STORE_FORMAT = 1

/** What is written beside the database, so that it can be told from any other and from an empty one. */
export interface Identity {
  readonly format: number
  /** 32 hex digits, different for each store. */
  readonly id: string
  /** ISO 8601. */
  readonly created: string
}

const IDENTITY = 'sess.json'
const GENERATION = 'generation'

/** What the names of a store's own files begin with. */
const OURS = ['backup', 'broken', 'sess', 'generation', 'holder', 'refs', 'scratch', 'snapshot', 'tables']

/** Gives a store's identity, or undefined where the folder holds no store; throws where it is not one of ours. */
export function readIdentity(dir: string): Identity | undefined {
  const text = readText(join(dir, IDENTITY))
  if (text === undefined) return undefined
  let value: Partial<Identity>
  try {
    value = JSON.parse(text) as Partial<Identity>
  } catch (cause) {
    throw new SessError('not-a-store', dir, { detail: `${IDENTITY} is no JSON`, cause })
  }
  if (typeof value?.format !== 'number' || typeof value.id !== 'string')
    throw new SessError('not-a-store', dir)
  checkFormat(dir, value.format)
  return { format: value.format, id: value.id, created: String(value.created) }
}

/** Throws `newer-store` where a format is one that this version does not know. */
export function checkFormat(dir: string, format: number): void {
  if (format > STORE_FORMAT) throw new SessError('newer-store', dir, { detail: `format ${format}` })
}

/** Gives the text of a file, or undefined where there is none. Throws `corrupt` where something else lies there. */
export function readText(path: string): string | undefined {
  try {
    return withFile(path, (file) => readFileSync(file, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return undefined
    if (error instanceof SessError) throw error
    throw unreadable(path, error)
  }
}

/** Tells whether an error of the file system says that something is not there. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

/** Gives the names in a folder; none where there is none, or no more: processes remove what they no longer need at any time. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Gives the number of the generation that holds the database now. */
export function readGeneration(dir: string): number {
  const text = readText(join(dir, GENERATION))
  const number = text === undefined ? Number.NaN : Number(text)
  if (!Number.isSafeInteger(number) || number < 1)
    throw new SessError('corrupt', `'${join(dir, GENERATION)}' does not say which database is current`)
  return number
}

/** Gives what is another once another generation holds the database: much cheaper than to read which one does. */
export function generationMark(dir: string): string {
  const stats = statSync(`${dir}/${GENERATION}`, { throwIfNoEntry: false })
  return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : 'missing'
}

/** Has another generation hold the database from now on; `how` as in `replaceFile`. */
export const writeGeneration = (dir: string, generation: number, how?: Replacing): void =>
  replaceFile(join(dir, GENERATION), `${generation}\n`, how)

/** Gives the folder of the database of a generation. */
export const databaseFolder = (dir: string, generation: number): string => join(dir, `db.${generation}`)

/** Tells whether a store may be made in a folder: it is not there, or empty, or holds the beginnings of a store. */
export function isFreeFolder(dir: string): boolean {
  try {
    return readdirSync(dir).every(
      (name) => name.startsWith('db.') || OURS.includes(name.split('.')[0] as string),
    )
  } catch (error) {
    if (isMissing(error)) return true
    throw new SessError('unreadable-path', dir, { cause: error })
  }
}

/** Makes a private folder and those above it. */
export function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    const isInTheWay = code === 'EEXIST' || code === 'ENOTDIR'
    throw new SessError('cannot-write', dir, {
      detail: message,
      cause,
      ...(isInTheWay && { hint: IN_THE_WAY }),
    })
  }
}

const IN_THE_WAY = 'a file lies where the folder would: name another one'

/** Has a folder be a store whose first database is there: its identity is written last of all. */
export function beginStore(dir: string, identity: Identity): void {
  writeGeneration(dir, 1)
  writeIdentity(dir, identity)
}

/** Writes a store's identity. */
export const writeIdentity = (dir: string, identity: Identity): void =>
  replaceFile(join(dir, IDENTITY), `${JSON.stringify(identity)}\n`)

/** What is done about the moment in which a file is put in place of another. */
export interface Replacing {
  /** Asked right before, once all is done that takes time: where it says no, nothing is put. */
  readonly isStill?: () => boolean
  /** Done right behind, before it is durable. */
  readonly withIt?: () => void
}

/** Puts a whole private file in place of another, durably: readers see the old one or the new one. */
export function replaceFile(path: string, text: string, { isStill, withIt }: Replacing = {}): void {
  const fresh = `${path}.${ownName()}.new`
  try {
    const file = openSync(fresh, 'w', 0o600)
    try {
      // Not `writeSync`, which may write a part and say so by its result alone.
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (isStill?.() === false) {
      rmSync(fresh, { force: true })
      return
    }
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw writeFault(error, path)
  }
  try {
    withIt?.()
  } finally {
    sync(dirname(path))
  }
}

/** Makes a file durable, or the names in a folder: without it a power cut may undo a rename. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
