import { SessError } from '../../model/errors.ts'
import { bytesOf, oidOf } from '../../model/oid.ts'
import { readColumn, readInts, writeInts, writeNumbers } from '../columns/ints.ts'
import { ByteSink, ByteSource, fold, unfold } from '../columns/varint.ts'
import { wellFormed } from '../fault.ts'
import { NO_ROW, type Row } from '../record.ts'
import { type RowLinks, Run } from './run.ts'

/** Without oids of its own, as runs were before. */
const PLAIN = 2
const VERSION = 3

/** Bytes of a digest: they stand behind the columns as they are, for nothing makes them smaller. */
const DIGEST = 32

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** What few numbers tell of an entry, and many entries have in common. */
interface Kind {
  readonly type: number
  readonly traits: number
  /** Calls more than the entry before in the run. */
  readonly calls: number
}

/**
 * Lays a run out: how many rows it has, less one, its columns, the digests of its entries. Nothing of it is compressed:
 * a walk reads many runs for little of each, and to unpack one takes longer than all else.
 */
export function encodeRun(run: Run): Uint8Array {
  const sink = new ByteSink()
  sink.byte(run.count - 1)
  sink.byte(VERSION)
  const live = liveOf(run)
  const alive = new Array<number>(run.count).fill(1)
  for (const i of run.holes) alive[i] = 0
  writeInts(sink, alive)
  const rows = (values: Float64Array): void => writeNumbers(sink, columnOf(values, run, live))
  writeKinds(sink, run, live)
  writeNumbers(
    sink,
    columnOf(run.first, run, live).map((row, n) =>
      row === NO_ROW ? 0 : run.start + (live[n] as number) - row,
    ),
  )
  for (const values of [run.depth, run.tokens, run.jump, ...run.near, run.merge, run.block, run.index])
    rows(values)
  writeRare(sink, run)
  sink.varint(run.outside.size)
  for (const [row, oid] of run.outside) {
    sink.varint(row)
    sink.bytes(bytesOf(oid))
  }
  for (const i of run.steps) sink.bytes(bytesOf(run.oid(run.start + i)))
  for (const i of live) sink.bytes(run.digests.subarray(DIGEST * i, DIGEST * (i + 1)))
  return sink.view().slice()
}

/** Gives the indexes of a run at which entries are. */
const liveOf = ({ count, holes }: Run): number[] => {
  const live: number[] = []
  for (let i = 0; i < count; i++) if (!holes.has(i)) live.push(i)
  return live
}

/** Gives what entries have in a column of a run, without its holes. */
const columnOf = (values: Float64Array, { count, holes }: Run, live: readonly number[]): Float64Array =>
  holes.size === 0 ? values.subarray(0, count) : Float64Array.from(live, (i) => values[i] as number)

function writeKinds(sink: ByteSink, run: Run, live: readonly number[]): void {
  const kinds: Kind[] = []
  let before = 0
  const kindOf = live.map((i) => {
    const [type, traits, now] = [run.typeOf[i], run.traits[i], run.calls[i]] as [number, number, number]
    const calls = now - before
    before = now
    let kind = kinds.findLastIndex((is) => is.type === type && is.traits === traits && is.calls === calls)
    if (kind < 0) kind = kinds.push({ type, traits, calls }) - 1
    return kind
  })
  sink.varint(run.types.length)
  for (const type of run.types) {
    const bytes = utf8.encode(type)
    sink.varint(bytes.length)
    sink.bytes(bytes)
  }
  sink.varint(kinds.length)
  for (const { type, traits, calls } of kinds) {
    sink.varint(type)
    sink.byte(traits)
    sink.varint(fold(calls))
  }
  writeInts(sink, kindOf)
}

function readKinds(source: ByteSource, run: Run, live: readonly number[]): void {
  const types = source.varint()
  for (let i = 0; i < types; i++) run.types.push(text.decode(source.bytes(source.varint())))
  const kinds: Kind[] = []
  const count = source.varint()
  for (let i = 0; i < count; i++)
    kinds.push({ type: source.varint(), traits: source.byte(), calls: unfold(source.varint()) })
  let calls = 0
  const kindOf = readInts(source, live.length)
  for (let n = 0; n < live.length; n++) {
    const i = live[n] as number
    const is = kinds[kindOf[n] as number]
    if (!is) throw new RangeError('an entry is of no kind')
    run.typeOf[i] = is.type
    run.traits[i] = is.traits
    calls += is.calls
    run.calls[i] = calls
  }
}

/** Writes what few entries have: each number as one more than it is, 0 where there is none. */
function writeRare(sink: ByteSink, { rare }: Run): void {
  const rows = (list: readonly Row[]): void => {
    sink.varint(list.length + 1)
    for (const row of list) sink.varint(row)
  }
  sink.varint(rare.size)
  for (const [i, { more, links }] of rare) {
    sink.varint(i)
    rows(more)
    sink.varint((links.firstKept ?? NO_ROW) + 1)
    if (links.kept) rows(links.kept)
    else sink.varint(0)
    sink.varint((links.target ?? NO_ROW) + 1)
  }
}

function readRare(source: ByteSource, { rare }: Run): void {
  const row = (): Row | undefined => {
    const told = source.varint()
    return told === 0 ? undefined : told - 1
  }
  const rows = (): Row[] | undefined => {
    const count = row()
    if (count === undefined) return undefined
    const list: Row[] = []
    while (list.length < count) list.push(source.varint())
    return list
  }
  for (let left = source.varint(); left > 0; left--) {
    const i = source.varint()
    const more = rows() ?? []
    const [firstKept, kept, target] = [row(), rows(), row()]
    const links: RowLinks = {
      ...(firstKept === undefined ? {} : { firstKept }),
      ...(kept === undefined ? {} : { kept }),
      ...(target === undefined ? {} : { target }),
    }
    rare.set(i, { more, links })
  }
}

/** Reads a run that `encodeRun` laid out. Throws `corrupt`, and `newer-store` where a later version wrote it. */
export function decodeRun(start: Row, laid: Uint8Array): Run {
  return wellFormed(`the run at ${start}`, () => decoded(start, new ByteSource(laid)))
}

function decoded(start: Row, source: ByteSource): Run {
  const count = source.byte() + 1
  const version = source.byte()
  if (version !== VERSION && version !== PLAIN) throw new SessError('newer-store', `run ${start}`)
  const run = new Run(start, count)
  run.count = count
  const live: number[] = []
  const alive = readInts(source, count)
  for (let i = 0; i < count; i++)
    if (alive[i] === 1) live.push(i)
    else run.holes.add(i)
  readKinds(source, run, live)
  const whole = live.length === count
  const column = new Float64Array(live.length)
  readColumn(source, column)
  for (let n = 0; n < live.length; n++) {
    const [i, back] = [live[n] as number, column[n] as number]
    run.first[i] = back === 0 ? NO_ROW : start + i - back
  }
  for (const values of [run.depth, run.tokens, run.jump, ...run.near, run.merge, run.block, run.index]) {
    readColumn(source, whole ? values : column)
    if (!whole) for (let n = 0; n < live.length; n++) values[live[n] as number] = column[n] as number
  }
  readRare(source, run)
  for (let left = source.varint(); left > 0; left--)
    run.outside.set(source.varint(), oidOf(source.bytes(DIGEST)))
  if (version === VERSION) for (const i of run.steps) run.know(i, oidOf(source.bytes(DIGEST)))
  if (source.left !== DIGEST * live.length) throw new RangeError('it is cut short')
  if (whole) run.digests.set(source.bytes(DIGEST * count))
  else for (const i of live) run.digests.set(source.bytes(DIGEST), DIGEST * i)
  return run
}
