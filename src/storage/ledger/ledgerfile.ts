import { constants, existsSync, readFileSync, readSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { damagedFile, failsAt, isSick, unreadable } from '../fault.ts'
import { isMissing } from '../folder/folder.ts'
import { NO_FILE, withFile } from '../folder/openfile.ts'
import { isUnsealed, SEAL } from '../seal.ts'
import type { Numbered } from './ledger.ts'

/** The names of the two files of a ledger, in a database's folder. */
export const LEDGER_FILES = ['ledger.0', 'ledger.1'] as const

export const isOfLedger = (name: string): boolean => LEDGER_FILES.some((file) => file === name)

/** Before a commit and its checksum stand the mark of its file, its number and how long it is. */
export const [MARK, NUMBER] = [8, 6] as const
const LENGTH = 4
export const HEAD = MARK + NUMBER + LENGTH

/** A commit as it stands in a file. */
interface Standing {
  readonly number: number
  readonly bytes: Uint8Array
  readonly at: number
  readonly end: number
}

/** What a file of a ledger holds. */
export interface LedgerContent {
  readonly name: string
  readonly file: Buffer
  readonly standing: readonly Standing[]
}

/** Gives where a commit ends that begins at a place, as its head says; nothing where that is not in the file. */
function endOf(file: Buffer, at: number): number | undefined {
  const start = at + HEAD + SEAL
  const end = start > file.length ? start : start + file.readUInt32BE(at + HEAD - LENGTH)
  return end > file.length ? undefined : end
}

const markAt = (file: Buffer, at: number): Buffer => file.subarray(at, at + MARK)

/**
 * Gives the commit at a place of a file, nothing where none of its mark stands there that is whole. Before the number
 * `from` it need not be looked at.
 */
function standingAt(file: Buffer, mark: Buffer, at: number, from: number): Standing | undefined {
  const end = endOf(file, at)
  if (end === undefined || !mark.equals(markAt(file, at))) return undefined
  const number = file.readUIntBE(at + MARK, NUMBER)
  const sealed = file.subarray(at + HEAD, end)
  if (number >= from && isUnsealed(file.subarray(at, at + HEAD), sealed)) return undefined
  return { number, bytes: sealed.subarray(SEAL), at, end }
}

/** Tells whether a mark is none: of what was never written, or taken back. */
const isNone = (mark: Buffer): boolean => mark.every((byte) => byte === 0)

function* standingIn(file: Buffer, from: number): Generator<Standing> {
  const mark = markAt(file, 0)
  if (isNone(mark)) return
  for (let next = standingAt(file, mark, 0, from); next; next = standingAt(file, mark, next.end, from))
    yield next
}

/**
 * Reads a file of a ledger, and verifies its commits from a number on. Each time that it is begun anew it gets a mark by
 * chance that each commit begins with: nothing that was left of an earlier time, or that a commit says, is taken for one.
 */
export function readLedgerFile(folder: string, name: string, from: number): LedgerContent {
  const file = readable(join(folder, name), NOTHING, readAll)
  return { name, file, standing: [...standingIn(file, from)] }
}

const NOTHING = Buffer.alloc(0)

const readAll = (file: number): Buffer => readFileSync(file)

/** Reads a file of a ledger by its handle, or gives something else where there is none. Throws as `problemOf`, and `corrupt`. */
function readable<T>(path: string, none: T, read: (file: number) => T): T {
  try {
    return opened(path, read)
  } catch (error) {
    if (isMissing(error)) return none
    throw damagedFile(path, problemOf(path, error), error)
  }
}

/** Reads a file that is no link. */
const opened = <T>(path: string, read: (file: number) => T): T =>
  withFile(path, read, constants.O_RDONLY | constants.O_NOFOLLOW)

/** What it says of files that are as they should be. */
const REFUSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ENOMEM'])

/**
 * Gives what is wrong with a file that was not read. Throws `unreadable-path` where only this process may not read it, or
 * where the disk does not give it: it may be whole, and is not to be set aside.
 */
function problemOf(path: string, error: unknown): string {
  if (error instanceof SessError) return NO_FILE
  const { code = '', message } = error as NodeJS.ErrnoException
  if (REFUSED.has(code) || isSick(error)) throw unreadable(path, error)
  return message
}

/** Gives commits of a file that are whole behind damage: behind one that is torn, as it was written last, there is none. */
export function* beyondDamage({ file, standing }: LedgerContent): Generator<Numbered> {
  const mark = markAt(file, 0)
  if (isNone(mark)) return
  const last = standing.at(-1)
  // The last one may say that it is longer than it is: it need not have been verified.
  yield* markedBehind(file, mark, last?.at ?? 0, last?.number ?? -1)
  if (standing.length > 1) return
  // Where the mark itself is damaged, the second commit has it too; what is older than the first is of an earlier time.
  const second = markAt(file, endOf(file, 0) ?? 0)
  if (!mark.equals(second)) yield* markedBehind(file, second, 0, file.readUIntBE(MARK, NUMBER))
}

/** Gives commits with a mark that are whole and stand behind a place, with numbers behind another. */
function* markedBehind(file: Buffer, mark: Buffer, place: number, number: number): Generator<Numbered> {
  if (isNone(mark)) return
  for (let at = file.indexOf(mark, place + 1); at > 0; at = file.indexOf(mark, at + 1)) {
    const next = standingAt(file, mark, at, 0)
    if (next && next.number > number) yield [next.number, next.bytes]
  }
}

/** Gives where a file of a ledger is damaged in its middle; undefined where all is well. */
function damageOf(content: LedgerContent): number | undefined {
  for (const _ of beyondDamage(content)) return content.standing.at(-1)?.end ?? 0
  return undefined
}

/** Gives all commits of a ledger that are whole, behind damage and behind links too, in no order. */
export const soundCommits = (folder: string): Numbered[] =>
  LEDGER_FILES.flatMap((name) => {
    const content = readableOf(folder, name)
    return [
      ...content.standing.map(({ number, bytes }): Numbered => [number, bytes]),
      ...beyondDamage(content),
    ]
  })

/** Gives what a file of a ledger holds, or what it is a link to; nothing where that cannot be read. */
function readableOf(folder: string, name: string): LedgerContent {
  const path = join(folder, name)
  try {
    const real = existsSync(path) ? realpathSync(path) : path
    return readLedgerFile(dirname(real), basename(real), 0)
  } catch (error) {
    if (!(error instanceof SessError && error.code === 'corrupt')) throw error
    return { name, file: NOTHING, standing: [] }
  }
}

/** Gives what the files of a ledger hold, the one that was begun last behind the other. */
export const readLedger = (folder: string, from: number): LedgerContent[] =>
  LEDGER_FILES.toReversed()
    .map((name) => readLedgerFile(folder, name, from))
    .sort((a, b) => (a.standing[0]?.number ?? -1) - (b.standing[0]?.number ?? -1))

/**
 * Reads the files of a ledger as they are at a moment, though another process may write them: that may fill the one that
 * is read first, and begin the other one anew before it is read, which then lacks what stands between; and of what is
 * written while it is read, the end may be seen and not the beginning. So they are read until none was begun anew, and
 * what looks damaged does so twice.
 */
export function settledLedger(folder: string): LedgerContent[] {
  for (let damages = ''; ; ) {
    const marks = LEDGER_FILES.map((name) => `${name} ${firstMark(join(folder, name)).toString('hex')}`)
    const contents = readLedger(folder, 0)
    const isAsItWas = contents.every(({ name, file }) =>
      marks.includes(`${name} ${markAt(file, 0).toString('hex')}`),
    )
    const found = contents.map((content) => damageOf(content) ?? '').join('')
    if (isAsItWas && (found === '' || found === damages)) return contents
    damages = found
  }
}

/** Gives the mark that a file begins with. */
const firstMark = (path: string): Buffer =>
  readable(path, NOTHING, (file) => {
    const mark = Buffer.alloc(MARK)
    return mark.subarray(0, readSync(file, mark, 0, MARK, 0))
  })

/** Gives which files of a ledger are damaged, and how. */
export function ledgerDamages(folder: string): { readonly file: string; readonly problem: string }[] {
  const unread = LEDGER_FILES.flatMap((file) => strange(folder, file))
  if (unread.length > 0) return unread
  return settledLedger(folder).flatMap((content) => {
    const at = damageOf(content)
    return at === undefined ? [] : [{ file: content.name, problem: failsAt(at) }]
  })
}

function strange(folder: string, file: string): { readonly file: string; readonly problem: string }[] {
  const path = join(folder, file)
  try {
    opened(path, readAll)
  } catch (error) {
    if (!isMissing(error)) return [{ file, problem: problemOf(path, error) }]
  }
  return []
}

/** Gives the number of the newest commit in a ledger, be it torn: -1 where there is none. */
export const newestInLedger = (folder: string): number =>
  Math.max(
    -1,
    ...readLedger(folder, Number.POSITIVE_INFINITY).map(({ standing }) => standing.at(-1)?.number ?? -1),
  )
