import type { Oid } from '../../model/oid.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import { type Grafting, graftLacking } from '../graft.ts'
import { type UnresolvedParent, unresolvedParents } from './unresolvedparents.ts'

/** What sessions lack and an import brings: what its own sessions lack, and what comes of what others were lacking. */
export class Coming {
  /** What the sessions that are imported lack. */
  readonly lacking: UnresolvedParent[] = []
  #open: ReadonlyMap<string, readonly UnresolvedParent[]> = new Map()
  #met: UnresolvedParent[] = []
  readonly #found = new Map<Oid, UnresolvedParent>()
  readonly #holders = new Set<string>()

  /** Whether there is anything to join. */
  get any(): boolean {
    return this.lacking.length > 0 || this.#found.size > 0
  }

  /** What was lacking before. */
  get found(): readonly UnresolvedParent[] {
    return [...this.#found.values()]
  }

  /** The sessions that have it. */
  get holders(): ReadonlySet<string> {
    return this.#holders
  }

  /** Looks at what is lacking now. */
  async begin(reader: Reader): Promise<void> {
    this.#open = await unresolvedParents(reader)
  }

  /** Is told of the ids that new records of a file have; undefined where nothing is looked for. */
  get onNative(): ((native: string) => void) | undefined {
    if (this.#open.size === 0) return undefined
    return (native) => {
      this.#met.push(...(this.#open.get(native) ?? []))
    }
  }

  /** Ends a file: its records are of this session. */
  end(session: string): void {
    if (this.#met.length > 0) this.#holders.add(session)
    for (const one of this.#met) this.#found.set(one.root, one)
    this.#met = []
  }
}

/** Joins what lacks its parent: what was there before to what came now, what is new to the sessions beside it. */
export async function joinLacking(change: Change, { lacking, found, holders }: Coming): Promise<Grafting[]> {
  const before = await graftLacking(change, found, holders)
  // What is lacking still was told when it came.
  const news = before.filter(({ outcome }) => outcome !== 'missing')
  return [...news, ...(await graftLacking(change, lacking, 'beside'))]
}
