import { type ByteSink, type ByteSource, fold, isFoldable, unfold } from './varint.ts'

/** How integers stand: one for all of them, one after another, or each with how often it comes again. */
const CONSTANT = 0
const PLAIN = 1
const RUNS = 2
const LAYOUTS = 3
/** Runs are worth their lengths where they are this long on average (tried with Brotli behind). */
const LONG = 4

/** From what a number is told: nothing, the number before it, or a base that writer and reader know. */
const NOTHING = 0
const BEFORE = 1
const BASE = 2

/** Numbers in a list or in a column. */
type Numbers = ArrayLike<number>

/** The number from which the number at an index may be told: one that `isFoldable` allows. */
export type Base = (index: number) => number

/** The base where there is none. */
const NO_BASE: Base = () => 0

/** Writes integers from 0. Their number is not written. A small `mark` rides in the first byte. */
function writeInts(sink: ByteSink, values: Numbers, mark = 0): void {
  let runs = 1
  for (let i = 1; i < values.length; i++) if (values[i] !== values[i - 1]) runs++
  const layout = runs === 1 ? CONSTANT : runs * LONG < values.length ? RUNS : PLAIN
  sink.byte(mark * LAYOUTS + layout)
  if (layout === PLAIN) for (let i = 0; i < values.length; i++) sink.varint(values[i] as number)
  else if (layout === CONSTANT) sink.varint(values[0] ?? 0)
  else writeRuns(sink, values)
}

function writeRuns(sink: ByteSink, values: Numbers): void {
  let from = 0
  for (let i = 1; i <= values.length; i++) {
    if (i < values.length && values[i] === values[from]) continue
    sink.varint(values[from] as number)
    sink.varint(i - from - 1)
    from = i
  }
}

function readLayout(source: ByteSource, count: number, layout: number): number[] {
  const values: number[] = []
  if (layout === CONSTANT) for (const value = source.varint(); values.length < count; ) values.push(value)
  else if (layout === PLAIN) for (let i = 0; i < count; i++) values.push(source.varint())
  else
    while (values.length < count) {
      const value = source.varint()
      const end = values.length + source.varint() + 1
      if (end > count) throw new RangeError('a run is too long')
      while (values.length < end) values.push(value)
    }
  return values
}

/** Writes signed numbers that `isFoldable` allows, told in the way that makes them smallest. */
export function writeNumbers(sink: ByteSink, values: Numbers, base: Base = NO_BASE): void {
  let told = NOTHING
  let least = costOf(NOTHING, values, base)
  for (const way of base === NO_BASE ? [BEFORE] : [BEFORE, BASE]) {
    const cost = costOf(way, values, base)
    if (cost < least) {
      told = way
      least = cost
    }
  }
  const best: number[] = []
  let signed = false
  for (let i = 0; i < values.length; i++) {
    const value = (values[i] as number) - originOf(told, values, i, base)
    if (value < 0) signed = true
    best.push(value)
  }
  writeInts(sink, signed ? best.map(fold) : best, 2 * told + (signed ? 1 : 0))
}

/** Gives the signed numbers that `writeNumbers` wrote with the same base. */
export function readNumbers(source: ByteSource, count: number, base: Base = NO_BASE): number[] {
  const first = source.byte()
  const values = readLayout(source, count, first % LAYOUTS)
  const mark = Math.floor(first / LAYOUTS)
  if (mark % 2 === 1) for (let i = 0; i < count; i++) values[i] = unfold(values[i] as number)
  const told = mark >> 1
  if (told !== NOTHING)
    for (let i = 0; i < count; i++) values[i] = (values[i] as number) + originOf(told, values, i, base)
  return values
}

function originOf(told: number, values: Numbers, i: number, base: Base): number {
  if (told === NOTHING) return 0
  if (told === BASE) return base(i)
  return i === 0 ? 0 : (values[i - 1] as number)
}

/** About how many bits the numbers take as they are told; one that comes again takes none. Infinite where one is none. */
function costOf(told: number, values: Numbers, base: Base): number {
  let bits = 0
  let last: number | undefined
  for (let i = 0; i < values.length; i++) {
    const value = (values[i] as number) - originOf(told, values, i, base)
    if (told !== NOTHING && !isFoldable(value)) return Number.POSITIVE_INFINITY
    if (value !== 0 && value !== last) bits += 2 + Math.log2(Math.abs(value))
    last = value
  }
  return bits
}
