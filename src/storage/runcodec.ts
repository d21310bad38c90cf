import { decodeStored, encode } from '../model/canonical.ts'
import { SessError } from '../model/errors.ts'
import { bytesOf, oidOf } from '../model/oid.ts'
import { packNow, unpack } from './block.ts'
import { NO_ROW, type Row } from './record.ts'
import { NEAR, type RowLinks, Run } from './run.ts'

const VERSION = 1

/** A row is kept as its distance back from the row that names it, plus one; 0 stands for none. */
const back = (row: Row, other: Row): number => (other === NO_ROW ? 0 : row - other + 1)
const forth = (row: Row, distance: number): Row => (distance === 0 ? NO_ROW : row - distance + 1)

/** 0: the item after the one before, in the same block. */
type Place = 0 | readonly [block: number, index: number]
type Rare = readonly [
  at: number,
  more: readonly Row[],
  firstKept: Row,
  kept: readonly Row[] | null,
  target: Row,
]
type Columns = readonly [
  version: number,
  types: readonly string[],
  typeOf: Uint8Array,
  traits: Uint8Array,
  first: readonly number[],
  depth: readonly number[],
  calls: readonly number[],
  tokens: readonly number[],
  jump: readonly number[],
  near: readonly (readonly number[])[],
  merge: readonly number[],
  places: readonly Place[],
  rare: readonly Rare[],
  outside: readonly (readonly [Row, Uint8Array])[],
]

/** Brotli's quality for columns: a few kilobytes, written once and read often. */
const QUALITY = 5

/** Bytes of a digest: they stand behind the columns as they are, for nothing makes them smaller. */
const DIGEST = 32

/** Lays a run out: how many entries it has, less one, its columns, its digests. */
export function encodeRun(run: Run): Uint8Array {
  const { start, count } = run
  const column = <T>(of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))
  const at = (values: Float64Array, i: number): number => values[i] as number
  const steps = (values: Float64Array): number[] =>
    column((i) => at(values, i) - (i === 0 ? 0 : at(values, i - 1)))
  const columns: Columns = [
    VERSION,
    run.types,
    run.typeOf.subarray(0, count),
    run.traits.subarray(0, count),
    column((i) => back(start + i, at(run.first, i))),
    steps(run.depth),
    steps(run.calls),
    steps(run.tokens),
    column((i) => start + i - at(run.jump, i)),
    run.near.map((values) => column((i) => back(start + i, at(values, i)))),
    column((i) => back(start + i, at(run.merge, i))),
    column((i) =>
      i > 0 && run.block[i] === run.block[i - 1] && at(run.index, i) === at(run.index, i - 1) + 1
        ? 0
        : [at(run.block, i), at(run.index, i)],
    ),
    [...run.rare].map(([i, { more, links }]) => [
      i,
      more,
      links.firstKept ?? NO_ROW,
      links.kept ?? null,
      links.target ?? NO_ROW,
    ]),
    [...run.outside].map(([row, oid]) => [row, bytesOf(oid)]),
  ]
  const packed = packNow(encode(columns), QUALITY)
  const laid = new Uint8Array(1 + packed.length + DIGEST * count)
  laid[0] = count - 1
  laid.set(packed, 1)
  laid.set(run.digests.subarray(0, DIGEST * count), 1 + packed.length)
  return laid
}

/** Reads a run that `encodeRun` laid out. */
export function decodeRun(start: Row, laid: Uint8Array): Run {
  const count = (laid[0] ?? 0) + 1
  const end = laid.length - DIGEST * count
  if (end < 1) throw new SessError('corrupt', `the run at ${start} is cut short`)
  const columns = decodeStored(unpack(laid.subarray(1, end))) as Columns
  const [version, types, typeOf, traits, first, depth, calls, tokens, jump, near, merge, ...others] = columns
  const [places, rare, outside] = others
  if (version !== VERSION) throw new SessError('newer-store', `run ${start}`)
  if (traits.length !== count) throw new SessError('corrupt', `the run at ${start} has a wrong form`)
  const run = new Run(start, count)
  run.count = count
  run.types.push(...types)
  run.typeOf.set(typeOf)
  run.traits.set(traits)
  run.digests.set(laid.subarray(end))
  sumUp(depth, run.depth)
  sumUp(calls, run.calls)
  sumUp(tokens, run.tokens)
  let block = 0
  let index = 0
  for (let i = 0; i < count; i++) {
    const row = start + i
    const place = places[i] as Place
    if (place === 0) index++
    else [block, index] = place
    run.block[i] = block
    run.index[i] = index
    run.first[i] = forth(row, first[i] as number)
    run.jump[i] = row - (jump[i] as number)
    run.merge[i] = forth(row, merge[i] as number)
    for (let k = 0; k < NEAR.length; k++) (run.near[k] as Float64Array)[i] = forth(row, near[k]?.[i] ?? 0)
  }
  for (const [i, more, firstKept, kept, target] of rare) {
    const links: RowLinks = {
      ...(firstKept === NO_ROW ? {} : { firstKept }),
      ...(kept === null ? {} : { kept }),
      ...(target === NO_ROW ? {} : { target }),
    }
    run.rare.set(i, { more, links })
  }
  for (const [row, oid] of outside) run.outside.set(row, oidOf(oid))
  return run
}

/** Fills a column from the steps between its values. */
function sumUp(steps: readonly number[], into: Float64Array): void {
  let sum = 0
  for (let i = 0; i < into.length; i++) {
    sum += steps[i] as number
    into[i] = sum
  }
}
