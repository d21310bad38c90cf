import { firstParentBase } from '../graph/mergebase.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { lookIn } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'

/** The most branches of a session whose fork points are read for a list. */
const MAX_FORKS = 4

/** A branch beside the straight path of a session, by numbers of entries. */
export interface Fork {
  readonly branch: string
  /** The entries that it shares with the straight path. */
  readonly shared: number
  /** The entries of its own. */
  readonly own: number
}

/** Where branches part from the straight path of a session. */
export interface Forks {
  /** The entries of the straight path. */
  readonly length: number
  /** Some of them, where there are many. */
  readonly forks: readonly Fork[]
}

interface Branched {
  readonly head: string | null
  readonly branches: { readonly [name: string]: Oid }
}

/** Returns for each session where its branches part; null for one that does not branch. Reads no bodies, and few entries. */
export async function forksOf(repo: Repo, sessions: readonly Branched[]): Promise<(Forks | null)[]> {
  const wanted = sessions.map(chosenBranches)
  if (wanted.every((one) => one === null)) return wanted.map(() => null)
  return repo.read(async (reader) => {
    const oids = wanted.flatMap((one) => (one ? [one.tip, ...one.others.map(([, oid]) => oid)] : []))
    const handles = await reader.findMany(oids)
    const look = lookIn(reader)
    const found: (Forks | null)[] = []
    for (const one of wanted) {
      const tip = one ? handles.get(one.tip) : undefined
      if (!one || tip === undefined) {
        found.push(null)
        continue
      }
      const forks: Fork[] = []
      for (const [branch, oid] of one.others) {
        const end = handles.get(oid)
        if (end === undefined) continue
        const base = await firstParentBase(tip, end, look)
        const shared = base === undefined ? 0 : (await look(base)).depth + 1
        forks.push({ branch, shared, own: (await look(end)).depth + 1 - shared })
      }
      found.push({ length: (await look(tip)).depth + 1, forks })
    }
    return found
  })
}

/** Returns the tip of a session, and branches beside it at equal distances in their list; null where there are none. */
function chosenBranches({ head, branches }: Branched): {
  readonly tip: Oid
  readonly others: readonly (readonly [string, Oid])[]
} | null {
  const all = Object.entries(branches)
  const tip = head === null ? undefined : (branches[head] ?? (head as Oid))
  const others = all.filter(([, oid]) => oid !== tip)
  if (tip === undefined || others.length === 0) return null
  const step = Math.max(1, others.length / MAX_FORKS)
  const chosen = Array.from({ length: Math.min(MAX_FORKS, others.length) }, (_, i) => Math.floor(i * step))
  return { tip, others: chosen.flatMap((at) => (others[at] ? [others[at]] : [])) }
}
