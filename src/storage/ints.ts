import { type ByteSink, type ByteSource, fold, unfold } from './varint.ts'

/** What the numbers of a column are written as: themselves, or how far they are from the one before or from a base. */
const PREDICTIONS = ['none', 'previous', 'base'] as const
const CONSTANT = 0
const PLAIN = 1
const RUNS = 2
const LAYOUTS = 3

/** Writes integers from 0: one for all of them, one after another, or in runs. The first byte is `mark` times 3 more. */
export function writeInts(sink: ByteSink, values: readonly number[], mark = 0): void {
  let runs = values.length > 0 ? 1 : 0
  for (let i = 1; i < values.length; i++) if (values[i] !== values[i - 1]) runs++
  const layout = runs <= 1 ? CONSTANT : runs * 3 < values.length ? RUNS : PLAIN
  sink.byte(mark * LAYOUTS + layout)
  if (layout === PLAIN) for (const value of values) sink.varint(value)
  else if (layout === CONSTANT) sink.varint(values[0] ?? 0)
  else writeRuns(sink, values)
}

function writeRuns(sink: ByteSink, values: readonly number[]): void {
  let from = 0
  for (let i = 1; i <= values.length; i++) {
    if (i < values.length && values[i] === values[from]) continue
    sink.varint(values[from] as number)
    sink.varint(i - from - 1)
    from = i
  }
}

/** Gives that many integers from 0 that `writeInts` wrote. The caller has made sure that the count is not absurd. */
export const readInts = (source: ByteSource, count: number): number[] => readMarked(source, count).values

function readMarked(source: ByteSource, count: number): { readonly values: number[]; readonly mark: number } {
  const first = source.byte()
  const mark = Math.floor(first / LAYOUTS)
  const layout = first % LAYOUTS
  if (layout === CONSTANT) return { values: new Array<number>(count).fill(source.varint()), mark }
  const values: number[] = []
  if (layout === PLAIN) for (let i = 0; i < count; i++) values.push(source.varint())
  else
    while (values.length < count) {
      const value = source.varint()
      let length = source.varint() + 1
      if (length > count - values.length) throw new RangeError('a run is too long')
      while (length-- > 0) values.push(value)
    }
  return { values, mark }
}

/** Writes signed numbers that `isFoldable` allows, as whatever of PREDICTIONS makes them small. */
export function writeNumbers(
  sink: ByteSink,
  values: readonly number[],
  base: (index: number) => number,
): void {
  const choices = PREDICTIONS.map((_, p) => values.map((value, i) => value - predicted(p, values, i, base)))
  const costs = choices.map(costOf)
  let best = 0
  for (let p = 1; p < choices.length; p++) if ((costs[p] as number) < (costs[best] as number)) best = p
  const chosen = choices[best] as number[]
  const signed = chosen.some((value) => value < 0)
  writeInts(sink, signed ? chosen.map(fold) : chosen, 2 * best + (signed ? 1 : 0))
}

/** Gives that many signed numbers that `writeNumbers` wrote with the same base. */
export function readNumbers(source: ByteSource, count: number, base: (index: number) => number): number[] {
  const { values, mark } = readMarked(source, count)
  const prediction = mark >> 1
  if (mark & 1) for (let i = 0; i < count; i++) values[i] = unfold(values[i] as number)
  if (prediction > 0)
    for (let i = 0; i < count; i++) values[i] = (values[i] as number) + predicted(prediction, values, i, base)
  return values
}

function predicted(
  prediction: number,
  values: readonly number[],
  i: number,
  base: (index: number) => number,
): number {
  if (PREDICTIONS[prediction] === 'previous') return i === 0 ? 0 : (values[i - 1] as number)
  return PREDICTIONS[prediction] === 'base' ? base(i) : 0
}

/** About how many bits the numbers take; endless where one of them cannot be folded. */
function costOf(values: readonly number[]): number {
  let bits = 0
  for (let i = 0; i < values.length; i++) {
    const value = Math.abs(values[i] as number)
    if (value >= 2 ** 52) return Number.POSITIVE_INFINITY
    if (value !== 0 && values[i] !== values[i - 1]) bits += 2 + Math.log2(value)
  }
  return bits
}
