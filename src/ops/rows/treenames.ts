import type { Oid } from '../../model/encoding/oid.ts'
import type { EntryHandle } from '../../model/node.ts'
import { digitsOf, numberedName } from '../../model/numberedbranch.ts'
import type { GraphRef } from '../graphentry.ts'
import { NumberTable } from './treeorder.ts'
import type { Pause, TreeReading } from './treereading.ts'

/** Refs of a session that name entries, with their oids. */
type Refs = readonly (readonly [Oid, GraphRef])[]

/** The number of refs that are taken between two pauses. */
const TAKEN = 512

/** The refs of a session by their entries, in little memory. */
export class TreeNames {
  readonly #session: string
  readonly #few = new Map<EntryHandle, GraphRef[]>()
  /** Numbered branches by the numbers of their entries, sorted by these. */
  readonly #handles = new NumberTable()
  #digits = new Uint32Array(0)
  /** The numbered branches that name other entries since. */
  readonly #moved = new Set<string>()

  private constructor(session: string) {
    this.#session = session
  }

  /** Reads the entries that refs of a session name, or only those of some oids. Missing entries are left out. */
  static async read(
    { reader, pause }: Pick<TreeReading, 'reader' | 'pause'>,
    session: string,
    parts: Iterable<Refs> | AsyncIterable<Refs>,
    wanted?: ReadonlySet<Oid>,
  ): Promise<TreeNames> {
    const names = new TreeNames(session)
    const numbered = new Numbered()
    let taken = 0
    for await (const part of parts) {
      const refs = wanted ? part.filter(([oid]) => wanted.has(oid)) : part
      const handles = await reader.findMany(new Set(refs.map(([oid]) => oid)))
      for (const [oid, ref] of refs) {
        if (++taken % TAKEN === 0) await pause()
        const handle = handles.get(oid)
        if (handle === undefined) continue
        const digits = ref.kind === 'branch' && !ref.current ? digitsOf(ref.name) : undefined
        if (digits === undefined || typeof handle !== 'number') names.add(handle, ref)
        else numbered.add(handle, Number.parseInt(digits, 16))
      }
    }
    names.#digits = await numbered.into(names.#handles, pause)
    return names
  }

  /** Yields the entries that have names, each once: of the numbered branches in the order of their numbers. */
  *entries(): Generator<EntryHandle> {
    const handles = this.#handles
    for (let i = 0; i < handles.length; i++) {
      const handle = handles.get(i)
      if (i === 0 || handle !== handles.get(i - 1)) yield handle as EntryHandle
    }
    for (const handle of this.#few.keys()) if (this.#numberedAt(handle).length === 0) yield handle
  }

  /** Returns the entry that a branch names. */
  branch(name: string): EntryHandle | undefined {
    for (const [handle, refs] of this.#few)
      if (refs.some((ref) => ref.kind === 'branch' && ref.name === name)) return handle
    const digits = digitsOf(name)
    if (digits === undefined || this.#moved.has(name)) return undefined
    return this.#handles.get(this.#digits.indexOf(Number.parseInt(digits, 16))) as EntryHandle | undefined
  }

  /** Moves a branch to another entry. */
  move(name: string, from: EntryHandle, to: EntryHandle): void {
    const ref = this.get(from)?.find((one) => one.kind === 'branch' && one.name === name)
    if (!ref) return
    const few = this.#few.get(from)?.filter((one) => one !== ref)
    if (few?.length === this.#few.get(from)?.length) this.#moved.add(name)
    if (few && few.length > 0) this.#few.set(from, few)
    else this.#few.delete(from)
    this.add(to, ref)
  }

  add(handle: EntryHandle, ref: GraphRef): void {
    const refs = this.#few.get(handle)
    if (refs) refs.push(ref)
    else this.#few.set(handle, [ref])
  }

  /** Returns the refs of an entry, the branches by name before the labels. */
  get(handle: EntryHandle): readonly GraphRef[] | undefined {
    const numbered = this.#numberedAt(handle)
    const few = this.#few.get(handle) ?? []
    if (numbered.length === 0) return few.length === 0 ? undefined : few
    return [...numbered, ...few].sort((a, b) => RANKS[a.kind] - RANKS[b.kind] || (a.name < b.name ? -1 : 1))
  }

  #numberedAt(handle: EntryHandle): GraphRef[] {
    if (typeof handle !== 'number') return []
    const handles = this.#handles
    let [low, high] = [0, handles.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (handles.get(middle) < handle) low = middle + 1
      else high = middle
    }
    const refs: GraphRef[] = []
    for (let i = low; handles.get(i) === handle; i++) {
      const name = numberedName((this.#digits[i] as number).toString(16).padStart(8, '0'))
      if (!this.#moved.has(name)) refs.push({ kind: 'branch', name, session: this.#session, current: false })
    }
    return refs
  }
}

/** The numbers of entries that are sorted together. */
const SORTED = 4096

/** Collects pairs of numbers in little memory, and sorts them a part at a time. */
class Numbered {
  readonly #handles = new NumberTable()
  readonly #digits = new NumberTable()
  /** The indexes of pairs, by the part of the numbers that they are in. */
  readonly #parts = new Map<number, NumberTable>()

  add(handle: number, digits: number): void {
    const index = this.#handles.length
    this.#handles.set(index, handle)
    this.#digits.set(index, digits)
    const at = Math.floor(handle / SORTED)
    const part = this.#parts.get(at) ?? new NumberTable()
    part.set(part.length, index)
    this.#parts.set(at, part)
  }

  /** Puts the handles into a table, in ascending order, and returns the digits in that order. */
  async into(table: NumberTable, pause: Pause): Promise<Uint32Array<ArrayBuffer>> {
    const [handles, digits] = [this.#handles, this.#digits]
    const sorted = new Uint32Array(handles.length)
    for (const [, part] of [...this.#parts].sort(([a], [b]) => a - b)) {
      const indexes = Array.from({ length: part.length }, (_, i) => part.get(i))
      for (const index of indexes.sort((a, b) => handles.get(a) - handles.get(b))) {
        sorted[table.length] = digits.get(index)
        table.set(table.length, handles.get(index))
      }
      await pause()
    }
    table.trim()
    return sorted
  }
}

const RANKS: { readonly [K in GraphRef['kind']]: number } = { head: 0, branch: 1, label: 2 }
