import type { BlobRef } from '../../model/canonical.ts'
import { SessError } from '../../model/errors.ts'
import { Counters } from '../level/counters.ts'
import { handleOf } from '../level/entrynode.ts'
import { behind, numberAt, oidKey, runKey, SPACE } from '../level/keys.ts'
import { withRow } from '../level/place.ts'
import type { Row } from '../level/storedrecord.ts'
import { RUN, Run, type Slot } from '../level/entrypage.ts'
import { decodeRun, encodeRun } from '../level/entrypagecodec.ts'
import { seal, unseal } from '../checksum.ts'
import type { Table } from '../level/keyvaluestore.ts'
import { BlobRewriter } from './blobcopier.ts'
import { BodyRewriter } from './bodycopier.ts'
import type { Kept, Revision } from './retention.ts'
import { Mirror } from './smallvalues.ts'
import { Places, type Source, settle } from './densepacker.ts'
import { placesOf, SegmentRewriter } from './logcopier.ts'

/** The number of blocks that may be written to the old database meanwhile: their numbers are not used for new ones. */
const BESIDE = 2 ** 20

/**
 * Copies what is kept of a database into an empty one, densely packed in whole runs, blocks and segments. Rows, logs,
 * positions and numbers of operations do not change; numbers of blocks do. Each call of `take` copies what earlier calls
 * did not, from a later state of the same database.
 */
export class Rewrite {
  readonly #dir: string
  readonly #target: Table
  readonly #forgetWords: boolean
  readonly #blobs: BlobRewriter
  readonly #bodies: BodyRewriter
  readonly #segments: SegmentRewriter
  readonly #mirror: Mirror
  /** The number of the first new block. */
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

  /** Copies what is kept and was not copied before. `onProgress` gets the number of copied entries. */
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

  /** Numbers new blocks after all that are, or will be, in the old database. */
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

  /** Writes the run of a window, and the index keys of the entries that are copied. */
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

/** A range of RUN rows from a multiple of RUN, of which some are to be copied. */
interface Window {
  readonly start: Row
  /** The rows that were copied before. */
  readonly taken: Run | undefined
  /** The rows that are to be copied. */
  readonly fresh: readonly Row[]
}

const RUNS = Uint8Array.of(SPACE.run)

function runAt(table: Table, start: Row): Run | undefined {
  const key = runKey(start)
  const value = table.get(key)
  return value && decodeRun(start, unseal(key, value, `the run at ${start}`))
}

/** Yields in order the windows with entries that are kept and were not copied yet. */
async function* windowsOf({ table }: Source, target: Table, { entries }: Kept): AsyncGenerator<Window> {
  let start = -1
  let fresh: Row[] = []
  let taken: Run | undefined
  for await (const [key, value] of table.range(RUNS, behind(RUNS))) {
    const first = numberAt(key, 1, 6)
    if (first - (first % RUN) !== start) {
      if (fresh.length > 0) yield { start, taken, fresh }
      start = first - (first % RUN)
      fresh = []
      taken = runAt(target, start)
    }
    const run = decodeRun(first, unseal(key, value, `the run at ${first}`))
    for (const row of run.rows(run.start, run.end))
      if (entries.has(handleOf(row)) && !taken?.has(row)) fresh.push(row)
  }
  if (fresh.length > 0) yield { start, taken, fresh }
}
