import { decodeStored, encode } from '../model/canonical.ts'
import { type Digest, type Links, oidOfEntry } from '../model/entry.ts'
import { SessError } from '../model/errors.ts'
import { bytesOf, type Oid, oidOf } from '../model/oid.ts'
import { COMPACTS, SETS_MODE, SETS_MODEL, SETS_THINKING, type Traits } from '../model/view.ts'
import { packPlain, unpack } from './block.ts'
import { NO_ROW, type Row } from './record.ts'

/** How many entries a run holds at most. Runs that hold several begin at multiples of it. */
export const RUN = 256

/** Links as rows. */
export interface RowLinks {
  readonly firstKept?: Row
  readonly kept?: readonly Row[]
  readonly target?: Row
}

/** What is known of an entry without its body. */
export interface Node {
  readonly row: Row
  readonly parents: readonly Row[]
  readonly type: string
  readonly traits: Traits
  readonly digest: Digest
  readonly links: RowLinks
  /** How many entries precede it along first parents. */
  readonly depth: number
  /** An ancestor along first parents, for reaching any of them in logarithmic time; its own row at a root. */
  readonly jump: Row
  /** Whether a merge is among it and its ancestors. */
  readonly merged: boolean
  /** The nearest entries, itself or along first parents, that have each of NEAR's traits; NO_ROW where none has. */
  readonly near: readonly Row[]
}

/** The traits whose nearest bearer each node knows. */
export const NEAR: readonly Traits[] = [COMPACTS, SETS_MODEL, SETS_THINKING, SETS_MODE]

/** An entry in a run: its node, where its body stands. */
export interface Slot extends Node {
  readonly block: number
  readonly index: number
}

/**
 * A run of entries with consecutive rows, without their bodies. Oids are not stored: they are the hashes of what is,
 * computed when first asked for, from the oids of the relatives outside the run, which are stored.
 */
export class Run {
  readonly start: Row
  readonly slots: Slot[]
  readonly outside: Map<Row, Oid>
  #oids: Oid[] = []

  constructor(start: Row, slots: Slot[] = [], outside = new Map<Row, Oid>()) {
    this.start = start
    this.slots = slots
    this.outside = outside
  }

  has(row: Row): boolean {
    return row >= this.start && row < this.start + this.slots.length
  }

  slot(row: Row): Slot {
    return this.slots[row - this.start] as Slot
  }

  /** Appends an entry whose oid is known; `oidAt` gives the oids of its relatives. */
  add(slot: Slot, oid: Oid, oidAt: (row: Row) => Oid): void {
    for (const row of relatives(slot)) if (row < this.start) this.outside.set(row, oidAt(row))
    if (this.#oids.length === this.slots.length) this.#oids.push(oid)
    this.slots.push(slot)
  }

  oid(row: Row): Oid {
    const index = row - this.start
    for (let i = this.#oids.length; i <= index; i++) this.#oids.push(this.#hash(this.slots[i] as Slot))
    return this.#oids[index] as Oid
  }

  #hash({ parents, type, digest, links }: Slot): Oid {
    const at = (row: Row): Oid => {
      const oid = row < this.start ? this.outside.get(row) : this.#oids[row - this.start]
      if (oid === undefined) throw new SessError('corrupt', `the run at ${this.start} lacks a relative`)
      return oid
    }
    const { firstKept, kept, target } = links
    const named: Links = {
      ...(firstKept === undefined ? {} : { firstKept: at(firstKept) }),
      ...(kept === undefined ? {} : { kept: kept.map(at) }),
      ...(target === undefined ? {} : { target: at(target) }),
    }
    return oidOfEntry({ parents: parents.map(at), type, digest, links: named })
  }
}

function relatives({ parents, links }: Node): Row[] {
  const { firstKept, kept, target } = links
  return [...parents, ...[firstKept ?? [], kept ?? [], target ?? []].flat()]
}

const VERSION = 1

/** Gives a number per slot as the distance back from its row; 0 stands for none. */
const back = (row: Row, other: Row): number => (other === NO_ROW ? 0 : row - other + 1)
const forth = (row: Row, distance: number): Row => (distance === 0 ? NO_ROW : row - distance + 1)

/** Lays a run out as columns. */
export function encodeRun({ slots, outside }: Run): Uint8Array {
  const types = [...new Set(slots.map((s) => s.type))]
  const digests = new Uint8Array(32 * slots.length)
  slots.forEach((s, i) => digests.set(bytesOf(s.digest), 32 * i))
  const sparse = slots.flatMap((s, i) => {
    const { firstKept, kept, target } = s.links
    const more = s.parents.slice(1)
    if (more.length === 0 && firstKept === undefined && !kept && target === undefined) return []
    return [[i, more, firstKept ?? NO_ROW, kept ?? null, target ?? NO_ROW]]
  })
  let block = 0
  let index = -1
  const places = slots.map((s) => {
    const step = s.block === block && s.index === index + 1 ? 0 : [s.block, s.index]
    block = s.block
    index = s.index
    return step
  })
  return packPlain(
    encode([
      VERSION,
      types,
      Uint8Array.from(slots, (s) => types.indexOf(s.type)),
      Uint8Array.from(slots, (s) => s.traits),
      slots.map((s) => back(s.row, s.parents[0] ?? NO_ROW)),
      slots.map((s, i) => s.depth - (slots[i - 1]?.depth ?? 0)),
      slots.map((s) => s.row - s.jump),
      NEAR.map((_, k) => slots.map((s) => back(s.row, s.near[k] as Row))),
      Uint8Array.from(slots, (s) => (s.merged ? 1 : 0)),
      places,
      sparse,
      [...outside].map(([row, oid]) => [row, bytesOf(oid)]),
      digests,
    ]),
  )
}

type Place = 0 | readonly [block: number, index: number]
type Sparse = readonly [number, readonly Row[], Row, readonly Row[] | null, Row]
type Columns = readonly [
  version: number,
  types: readonly string[],
  typeOf: Uint8Array,
  traits: Uint8Array,
  parent: readonly number[],
  depth: readonly number[],
  jump: readonly number[],
  near: readonly (readonly number[])[],
  merged: Uint8Array,
  places: readonly Place[],
  sparse: readonly Sparse[],
  outside: readonly (readonly [Row, Uint8Array])[],
  digests: Uint8Array,
]

/** Reads a run that `encodeRun` laid out. */
export function decodeRun(start: Row, packed: Uint8Array): Run {
  const columns = decodeStored(unpack(packed)) as Columns
  const [
    version,
    types,
    typeOf,
    traits,
    parent,
    depths,
    jump,
    near,
    merged,
    places,
    sparse,
    outside,
    digests,
  ] = columns
  if (version !== VERSION) throw new SessError('newer-store', `run ${start}`)
  const rest = new Map(sparse.map((s) => [s[0], s]))
  const slots: Slot[] = []
  let depth = 0
  let block = 0
  let index = -1
  for (let i = 0; i < traits.length; i++) {
    const row = start + i
    const place = places[i] as Place
    if (place === 0) index++
    else [block, index] = place
    depth += depths[i] as number
    const first = forth(row, parent[i] as number)
    const [, more = [], firstKept = NO_ROW, kept = null, target = NO_ROW] = rest.get(i) ?? []
    slots.push({
      row,
      parents: first === NO_ROW ? [] : [first, ...more],
      type: types[typeOf[i] as number] as string,
      traits: traits[i] as number,
      digest: oidOf(digests.subarray(32 * i, 32 * i + 32)) as string as Digest,
      links: {
        ...(firstKept === NO_ROW ? {} : { firstKept }),
        ...(kept === null ? {} : { kept }),
        ...(target === NO_ROW ? {} : { target }),
      },
      depth,
      jump: row - (jump[i] as number),
      merged: merged[i] === 1,
      near: near.map((column) => forth(row, column[i] as number)),
      block,
      index,
    })
  }
  return new Run(start, slots, new Map(outside.map(([row, oid]) => [row, oidOf(oid)])))
}
