import type { Oid } from '../../model/encoding/oid.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import { type Grafting, graftUnresolved } from '../graft.ts'
import { type UnresolvedParent, unresolvedParents } from './unresolvedparents.ts'

/** The unresolved parents that an import leaves, and those of earlier imports that it finds. */
export class ParentSearch {
  /** The unresolved parents of the imported sessions. */
  readonly unresolved: UnresolvedParent[] = []
  #open: ReadonlyMap<string, readonly UnresolvedParent[]> = new Map()
  #met: UnresolvedParent[] = []
  readonly #found = new Map<Oid, UnresolvedParent>()
  readonly #holders = new Set<string>()

  /** Whether there is anything to join. */
  get any(): boolean {
    return this.unresolved.length > 0 || this.#found.size > 0
  }

  /** The parents, unresolved before, that the import has found. */
  get found(): readonly UnresolvedParent[] {
    return [...this.#found.values()]
  }

  /** The sessions that have them. */
  get holders(): ReadonlySet<string> {
    return this.#holders
  }

  /** Replaces the ids of sessions that got another one. */
  rename(now: (session: string) => string): void {
    for (const [i, one] of this.unresolved.entries())
      this.unresolved[i] = { ...one, session: now(one.session) }
    for (const holder of [...this.#holders]) this.#holders.add(now(holder))
  }

  /** Reads the unresolved parents of the store. */
  async begin(reader: Reader): Promise<void> {
    this.#open = await unresolvedParents(reader)
  }

  /** Takes the native id of a new record; undefined where no parent is unresolved. */
  get onNative(): ((native: string) => void) | undefined {
    if (this.#open.size === 0) return undefined
    return (native) => {
      this.#met.push(...(this.#open.get(native) ?? []))
    }
  }

  /** Ends a file, whose records belong to this session. */
  end(session: string): void {
    if (this.#met.length > 0) this.#holders.add(session)
    for (const one of this.#met) this.#found.set(one.root, one)
    this.#met = []
  }
}

/** Joins unresolved parents: those of earlier imports with new entries, new ones with the sessions of the same folder. */
export async function joinParents(
  change: Change,
  { unresolved, found, holders }: ParentSearch,
): Promise<Grafting[]> {
  const before = await graftUnresolved(change, found, holders)
  // Those that stay unresolved were reported by the import that brought them.
  const news = before.filter(({ outcome }) => outcome !== 'missing')
  return [...news, ...(await graftUnresolved(change, unresolved, 'folder'))]
}
