import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { SessError } from '../model/errors.ts'
import { isMissing, sync } from './folder.ts'
import type { Numbered } from './ledger.ts'
import { isUnsealed, SEAL, seal } from './seal.ts'

/** The names of the two files of a ledger, in a database's folder. */
export const LEDGER_FILES = ['ledger.0', 'ledger.1'] as const

export const isOfLedger = (name: string): boolean => LEDGER_FILES.some((file) => file === name)

/** A file that has so many bytes of commits is full. */
const FULL = 512 << 10

/** A file is made longer by so many bytes at a time: what is written over others takes half the time to sync. */
const AHEAD = 64 << 10

/** A disk is quick that syncs in less than so many milliseconds. */
const QUICK = 1

/** Before a commit and its checksum stand the mark of its file, its number and how long it is. */
const [MARK, NUMBER, LENGTH] = [8, 6, 4] as const
const HEAD = MARK + NUMBER + LENGTH

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

function* standingIn(file: Buffer, from: number): Generator<Standing> {
  const mark = markAt(file, 0)
  for (let next = standingAt(file, mark, 0, from); next; next = standingAt(file, mark, next.end, from))
    yield next
}

/**
 * Reads a file of a ledger, and verifies its commits from a number on. Each time that it is begun anew it gets a mark by
 * chance that each commit begins with: nothing that was left of an earlier time, or that a commit says, is taken for one.
 */
export function readLedgerFile(folder: string, name: string, from: number): LedgerContent {
  const file = readIfThere(join(folder, name))
  return { name, file, standing: [...standingIn(file, from)] }
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if (isMissing(error)) return Buffer.alloc(0)
    throw new SessError('unreadable-path', path, { cause: error })
  }
}

/** Gives commits of a file that are whole behind damage: behind one that is torn, as it was written last, there is none. */
export function* beyondDamage({ file, standing }: LedgerContent): Generator<Numbered> {
  const mark = markAt(file, 0)
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
  if (mark.every((byte) => byte === 0)) return
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

/** Gives all commits of a ledger that are whole, behind damage too, in no order. */
export const soundCommits = (folder: string): Numbered[] =>
  LEDGER_FILES.flatMap((name) => {
    const content = readLedgerFile(folder, name, 0)
    return [
      ...content.standing.map(({ number, bytes }): Numbered => [number, bytes]),
      ...beyondDamage(content),
    ]
  })

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
function firstMark(path: string): Buffer {
  const mark = Buffer.alloc(MARK)
  try {
    const file = openSync(path, 'r')
    try {
      return mark.subarray(0, readSync(file, mark, 0, MARK, 0))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (isMissing(error)) return mark.subarray(0, 0)
    throw new SessError('unreadable-path', path, { cause: error })
  }
}

/** Gives which files of a ledger are damaged, and where: commits follow that are whole. */
export const ledgerDamages = (folder: string): { readonly file: string; readonly at: number }[] =>
  settledLedger(folder).flatMap((content) => {
    const at = damageOf(content)
    return at === undefined ? [] : [{ file: content.name, at }]
  })

/** Gives the number of the newest commit in a ledger, be it torn: -1 where there is none. */
export const newestInLedger = (folder: string): number =>
  Math.max(
    -1,
    ...readLedger(folder, Number.POSITIVE_INFINITY).map(({ standing }) => standing.at(-1)?.number ?? -1),
  )

/** A file that commits are written to. */
export class LedgerFile {
  /** The number of the last commit in it. */
  last = -1
  readonly #path: string
  #mark: Uint8Array = new Uint8Array(MARK)
  #file: number | undefined
  /** How long it is, and where its commits end. */
  #size: number
  #end = 0
  /**
   * The last commit that was found in it: it is written again with the next one, for a sync that failed may have left it
   * to be read and not durable.
   */
  #again: Uint8Array | undefined
  #isQuick = true

  constructor(folder: string, { name, file, standing }: LedgerContent) {
    this.#path = join(folder, name)
    this.#size = file.length
    const last = standing.at(-1)
    if (!last) return
    this.last = last.number
    this.#mark = file.subarray(0, MARK)
    this.#again = file.subarray(last.at, last.end)
    this.#end = last.at
  }

  /** Whether it takes no more: what is to be written again comes first, for what goes elsewhere builds on it. */
  get isFull(): boolean {
    return this.#end >= FULL && this.#again === undefined
  }

  /** Begins it anew: nothing that stands in it is needed. */
  begin(): void {
    this.#mark = randomBytes(MARK)
    this.#again = undefined
    this.#end = 0
    if (this.#size > FULL + 2 * AHEAD) {
      ftruncateSync(this.#open(), FULL)
      this.#size = FULL
    }
  }

  /** Adds a commit, which may lie in pieces: there for all who read the file, and not durable yet. */
  add(number: number, pieces: readonly Uint8Array[]): void {
    const file = this.#open()
    const head = Buffer.allocUnsafe(HEAD)
    head.set(this.#mark)
    head.writeUIntBE(number, MARK, NUMBER)
    head.writeUInt32BE(
      pieces.reduce((sum, { length }) => sum + length, 0),
      MARK + NUMBER,
    )
    const bytes = Buffer.concat([this.#again ?? new Uint8Array(0), head, seal(head, ...pieces)])
    writeWhole(file, bytes, this.#end)
    this.#end += bytes.length
    this.#again = undefined
    this.last = number
    if (this.#end > this.#size) this.#lengthen(file)
  }

  /** Makes room ahead; a disk that is full has none, and needs none. */
  #lengthen(file: number): void {
    this.#size = Math.ceil(this.#end / AHEAD + 0.5) * AHEAD
    try {
      writeWhole(file, new Uint8Array(this.#size - this.#end), this.#end)
    } catch {
      // What it could get is left to others.
      this.#size = this.#end
      ftruncateSync(file, this.#end)
    }
  }

  /**
   * Resolves once all that was added is durable. A disk that is quick is waited for in place, for to hand that to another
   * thread and to be woken by it takes as long as the disk does; one that is not lets the others of this process go on.
   */
  async sync(): Promise<void> {
    const [file, start] = [this.#open(), performance.now()]
    if (this.#isQuick) fdatasyncSync(file)
    else await synced(file)
    this.#isQuick = performance.now() - start < QUICK
  }

  #open(): number {
    if (this.#file !== undefined) return this.#file
    this.#file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600)
    // A file that a power cut takes the name from is lost.
    if (this.#size === 0) sync(dirname(this.#path))
    return this.#file
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

const synced = promisify(fdatasync)

/** Writes all bytes to a place of a file: one call may write a part. */
function writeWhole(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, at + done)
}
