import { randomBytes } from 'node:crypto'
import { closeSync, constants, fdatasync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { sync } from './folder.ts'
import { HEAD, type LedgerContent, MARK, NUMBER } from './ledgerfile.ts'
import { seal } from './seal.ts'

/** A file that has so many bytes of commits is full. */
const FULL = 512 << 10

/** A file is made longer by so many bytes at a time: what is written over others takes half the time to sync. */
const AHEAD = 64 << 10

/** A disk is quick that syncs in less than so many milliseconds. */
const QUICK = 1

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
    this.#file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
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
