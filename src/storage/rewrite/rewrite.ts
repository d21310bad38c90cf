import type { BlobRef } from '../../model/canonical.ts'
import { SessError } from '../../model/errors.ts'
import { Counters } from '../counters.ts'
import { oidKey, runKey } from '../keys.ts'
import { withRow } from '../place.ts'
import type { Row } from '../record.ts'
import { RUN, Run, type Slot } from '../runs/run.ts'
import { encodeRun } from '../runs/runcodec.ts'
import { seal } from '../seal.ts'
import type { Table } from '../table.ts'
import { BlobRewriter } from './blobs.ts'
import { BodyRewriter } from './bodies.ts'
import type { Kept, Revision } from './kept.ts'
import { Mirror } from './mirror.ts'
import { Places } from './moves.ts'
import { placesOf, SegmentRewriter } from './segments.ts'
import { settle } from './settle.ts'
import type { Source } from './source.ts'
import { type Window, windowsOf } from './windows.ts'

/** So many blocks may be written to the old database while the new one is made: their numbers are not given again. */
const BESIDE = 2 ** 20

/**
 * Writes a database anew into an empty one, as small as can be: what is kept of it, in whole runs, blocks and segments.
 * Rows, logs, positions and numbers of operations stay; blocks do not, but for those that refs name. It is done in
 * steps: each takes what the ones before did not, from the same database as it is later.
 */
export class Rewrite {
  readonly #dir: string
  readonly #target: Table
  readonly #forgetWords: boolean
  readonly #blobs: BlobRewriter
  readonly #bodies: BodyRewriter
  readonly #segments: SegmentRewriter
  readonly #mirror: Mirror
  /** The number of the first block that is written here. */
  #first: number | undefined
  #block = 0

  constructor(dir: string, target: Table, revision: Revision = {}) {
    this.#dir = dir
    this.#target = target
    this.#forgetWords = revision.forgetWords ?? false
    const next = (): number => this.#block++
    this.#blobs = new BlobRewriter(target, next, revision)
    this.#bodies = new BodyRewriter(target, next, this.#blobs.moves, revision)
    this.#segments = new SegmentRewriter(target, this.#blobs.moves, revision)
    this.#mirror = new Mirror(target, revision)
  }

  /** Takes what is kept of a database and was not taken before. `onProgress` is told how many entries were. */
  async take(
    source: Source,
    kept: Kept,
    onProgress: (entries: number) => void = () => undefined,
  ): Promise<void> {
    this.#number(source)
    const wanted = new Places<true>()
    const want = (places: readonly BlobRef[]): void => {
      for (const place of places) wanted.set(place, true)
    }
    for await (const { fresh } of windowsOf(source, this.#target, kept))
      for (const row of fresh) want(this.#bodies.want(source, row))
    for await (const record of this.#segments.fresh(source, kept.logs)) want(placesOf(record))
    for (const blob of kept.blobs) want([source.objects.placeOfBlob(blob)])
    await this.#blobs.take(source, wanted)
    await this.#takeEntries(source, kept, onProgress)
    await this.#segments.take(source, kept.logs)
    await this.#mirror.take(source.table, kept.forgotten.operation)
    this.#count(source, kept)
    await this.#target.commit()
  }

  /** Numbers blocks behind all that are, or will be, in the old database. */
  #number({ counters }: Source): void {
    if (this.#first === undefined) {
      this.#first = counters.block + BESIDE
      this.#block = this.#first
    } else if (counters.block > this.#first)
      throw new SessError('busy', this.#dir, {
        detail: 'more was written meanwhile than can be taken over',
      })
  }

  #count({ counters }: Source, { forgotten }: Kept): void {
    const { row, log, operation, commit } = counters
    const block = this.#block === this.#first ? counters.block : this.#block
    const indexed = this.#forgetWords ? 0 : counters.indexed
    const next = Object.assign(new Counters(), { row, block, log, operation, commit, indexed, forgotten })
    const { key, value } = next.put()
    this.#target.put(key, value)
  }

  async #takeEntries(source: Source, kept: Kept, onProgress: (entries: number) => void): Promise<void> {
    let done = 0
    for await (const window of windowsOf(source, this.#target, kept)) {
      this.#takeWindow(source, window)
      done += window.fresh.length
      onProgress(done)
      await this.#bodies.relax()
      await settle(this.#target)
    }
    await this.#bodies.close()
  }

  /** Writes the run of a window and the index keys of the entries that it takes. */
  #takeWindow(source: Source, { start, taken, fresh }: Window): void {
    const { objects } = source
    const run = new Run(start, RUN)
    const rows = taken ? [...taken.rows(start, start + RUN), ...fresh].sort((a, b) => a - b) : fresh
    for (const row of rows) {
      while (run.end < row) run.skip()
      const slot = taken?.has(row) ? taken.slot(row) : this.#slot(source, row)
      run.add(slot, objects.oid(row), (relative) => objects.oid(relative))
    }
    const key = runKey(start)
    this.#target.put(key, seal(key, encodeRun(run)))
    for (const row of fresh) this.#target.change(oidKey(objects.oid(row)), (before) => withRow(before, row))
  }

  #slot(source: Source, row: Row): Slot {
    const { block, index } = this.#bodies.take(source, row)
    return { ...source.objects.run(row).slot(row), block, index }
  }
}
