import type { Oid } from '../../model/encoding/oid.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { SessionState } from '../../repo/session.ts'
import { type GraphRef, refsOf } from '../graphentry.ts'
import { NumberTable } from './treeorder.ts'

/** The names that an import gives to branches, of which a session may have very many. */
const NUMBERED = /^at-([0-9a-f]{8})$/

/** The refs of a session by their entries, in little memory. */
export class TreeNames {
  readonly #session: string
  readonly #few = new Map<EntryHandle, GraphRef[]>()
  /** Numbered branches by the numbers of their entries, sorted by these. */
  readonly #handles = new NumberTable()
  readonly #digits: Uint32Array
  /** The numbered branches that name other entries since. */
  readonly #moved = new Set<string>()

  /** Names what `handles` has. */
  constructor(session: SessionState, handles: ReadonlyMap<Oid, EntryHandle>) {
    this.#session = session.id
    const numbered: (readonly [handle: number, digits: number])[] = []
    for (const [oid, ref] of refsOf(session)) {
      const handle = handles.get(oid)
      if (handle === undefined) continue
      const digits = ref.kind === 'branch' && !ref.current ? NUMBERED.exec(ref.name)?.[1] : undefined
      if (digits === undefined || typeof handle !== 'number') this.add(handle, ref)
      else numbered.push([handle, Number.parseInt(digits, 16)])
    }
    numbered.sort(([a], [b]) => a - b)
    for (const [i, [handle]] of numbered.entries()) this.#handles.set(i, handle)
    this.#handles.trim()
    this.#digits = Uint32Array.from(numbered, ([, digits]) => digits)
  }

  /** Returns the entry that a branch names. */
  branch(name: string): EntryHandle | undefined {
    for (const [handle, refs] of this.#few)
      if (refs.some((ref) => ref.kind === 'branch' && ref.name === name)) return handle
    const digits = NUMBERED.exec(name)?.[1]
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
      const name = `at-${(this.#digits[i] as number).toString(16).padStart(8, '0')}`
      if (!this.#moved.has(name)) refs.push({ kind: 'branch', name, session: this.#session, current: false })
    }
    return refs
  }
}

const RANKS: { readonly [K in GraphRef['kind']]: number } = { head: 0, branch: 1, label: 2 }
