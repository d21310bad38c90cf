import { randomBytes } from 'node:crypto'
import { closeSync, constants, fdatasync, fdatasyncSync, ftruncateSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Awaitable, andThen } from '../../model/awaitable.ts'
import { sha256 } from '../../model/hash.ts'
import { sync } from '../folder/folder.ts'
import { openFile } from '../folder/openfile.ts'
import { SEAL } from '../seal.ts'
import { HEAD, type LedgerContent, MARK, NUMBER } from './ledgerfile.ts'

/** A file that has so many bytes of commits is full. */
const FULL = 512 << 10

/** A file is made longer by so many bytes at a time: what is written over others takes half the time to sync. */
const AHEAD = 64 << 10

/** Commits of so many bytes are laid out in the same room. */
const ROOM = 64 << 10

/** A disk is quick that syncs in less than so many milliseconds. */
const QUICK = 1

/** So many milliseconds at most it is waited for in place and nothing else of the process goes on. */
const ALONE = 8

/** What a process leaves behind its last commit once that is durable: the complement of its head and checksum. */
const noteOf = (head: Uint8Array): Uint8Array => head.map((byte) => 255 - byte)

/** A file of a ledger that commits are written to, each once the one before is durable. */
export class LedgerWriter {
  /** The number of the last commit in it. */
  last = -1
  readonly #path: string
  #mark: Uint8Array = new Uint8Array(MARK)
  #file: number | undefined
  /** How long it is, and where its commits end. */
  #size: number
  #end = 0
  /**
   * The last commit that was found in it, and where, unless who wrote it left a note that it is durable: a sync that
   * failed, or was never made, may have left it there to be read alone.
   */
  #unsure: { readonly bytes: Uint8Array; readonly at: number } | undefined
  /** The last commit that this process wrote: where it stands, its head and checksum, whether it is durable. */
  #written: { readonly at: number; readonly head: Uint8Array; isDurable: boolean } | undefined
  #room: Buffer | undefined
  #isQuick = true
  /** Since when nothing else of the process went on, as far as is known here. */
  #alone: number | undefined

  constructor(folder: string, { name, file, standing }: LedgerContent) {
    this.#path = join(folder, name)
    this.#size = file.length
    const last = standing.at(-1)
    if (!last) return
    const { number, at, end } = last
    this.last = number
    this.#mark = file.subarray(0, MARK)
    this.#end = end
    const note = noteOf(file.subarray(at, at + HEAD + SEAL))
    if (!file.subarray(end, end + note.length).equals(note))
      this.#unsure = { bytes: file.subarray(at, end), at }
  }

  /** Whether it takes no more. */
  get isFull(): boolean {
    return this.#end >= FULL
  }

  /** Begins it anew: nothing that stands in it is needed. */
  begin(): void {
    this.#mark = randomBytes(MARK)
    this.#unsure = undefined
    this.#end = 0
    this.shorten()
  }

  /** Gives back the room that a long commit took: nothing that stands in the file is needed. */
  shorten(): void {
    if (this.#size <= FULL + 2 * AHEAD) return
    ftruncateSync(this.#open(), FULL)
    this.#size = FULL
    this.#written = undefined
  }

  /** Makes durable what was found in it and may not be: nothing is written behind it before. */
  settle(): Awaitable<void> {
    if (!this.#unsure) return
    const { bytes, at } = this.#unsure
    // What a disk failed to write it does not try again, unless it is told anew.
    writeWhole(this.#open(), bytes, at)
    return andThen(this.sync(), () => {
      this.#unsure = undefined
    })
  }

  /** Adds a commit, which may lie in pieces: there for all who read the file, and not durable yet. */
  add(number: number, pieces: readonly Uint8Array[]): void {
    const file = this.#open()
    const [bytes, at] = [this.#laidOut(number, pieces), this.#end]
    this.#written = undefined
    writeWhole(file, bytes, at)
    this.#written = { at, head: Uint8Array.from(bytes.subarray(0, HEAD + SEAL)), isDurable: false }
    this.#end += bytes.length
    this.last = number
    if (this.#end > this.#size) this.#lengthen(file)
  }

  /** Lays a commit out as it stands in the file; a short one in a room that the next one has too. */
  #laidOut(number: number, pieces: readonly Uint8Array[]): Uint8Array {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    const end = HEAD + SEAL + length
    const room = end > ROOM ? Buffer.allocUnsafe(end) : (this.#room ??= Buffer.allocUnsafeSlow(ROOM))
    // The head stands before the commit to be hashed with it, and its checksum comes between them then.
    room.set(this.#mark, SEAL)
    room.writeUIntBE(number, SEAL + MARK, NUMBER)
    room.writeUInt32BE(length, SEAL + MARK + NUMBER)
    let at = HEAD + SEAL
    for (const piece of pieces) {
      room.set(piece, at)
      at += piece.length
    }
    const sum = sha256(room.subarray(SEAL, end))
    room.copyWithin(0, SEAL, SEAL + HEAD)
    room.set(sum.subarray(0, SEAL), HEAD)
    return room.subarray(0, end)
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
   * Returns or resolves once all that was added is durable. A disk that is quick is waited for in place, for to hand that
   * to another thread and to be woken by it takes as long as the disk does; one that is not lets the others of this
   * process go on, and so does a quick one now and then: who appends in a row would let nobody else in.
   */
  sync(): Awaitable<void> {
    const [file, start] = [this.#open(), performance.now()]
    return andThen(this.#mayWait(start) ? fdatasyncSync(file) : synced(file), () => {
      this.#isQuick = performance.now() - start < QUICK
      if (this.#written) this.#written.isDurable = true
    })
  }

  #mayWait(now: number): boolean {
    if (this.#alone === undefined) setImmediate(this.#heard)
    this.#alone ??= now
    return this.#isQuick && now - this.#alone < ALONE
  }

  readonly #heard = (): void => {
    this.#alone = undefined
  }

  /**
   * Takes back what was added last: nobody who reads the file from now on finds it there. Tells whether that is so for
   * good; else it may be there again after a power cut.
   */
  async takeBack(): Promise<boolean> {
    if (!this.#written) return true
    const { at, head } = this.#written
    this.#written = undefined
    try {
      writeWhole(this.#open(), new Uint8Array(head.length), at)
      await this.sync()
      return true
    } catch {
      return false
    }
  }

  #open(): number {
    if (this.#file !== undefined) return this.#file
    this.#file = openFile(this.#path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW)
    // A file that a power cut takes the name from is lost.
    if (this.#size === 0) sync(dirname(this.#path))
    return this.#file
  }

  close(): void {
    if (this.#file === undefined) return
    if (this.#written?.isDurable) this.#note(this.#file, noteOf(this.#written.head))
    closeSync(this.#file)
    this.#file = undefined
  }

  /** Leaves a note for who opens the file next: not synced, for without it that one syncs once more. */
  #note(file: number, note: Uint8Array): void {
    try {
      writeWhole(file, note, this.#end)
    } catch {
      // On a full disk, say.
    }
  }
}

const synced = promisify(fdatasync)

/** Writes all bytes to a place of a file: one call may write a part. */
function writeWhole(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, at + done)
}
