import { ancestor } from '../../graph/walk.ts'
import type { GraphFilter } from '../../model/graphfilter.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { LookAt } from '../graphentry.ts'

/** The entries between two stops of a path, without these: `length` of them, counted from the newer stop. */
export interface Stretch {
  /** The newer stop. */
  readonly stop: EntryHandle
  readonly length: number
  /** The older stop; undefined where the stretch begins at a root. */
  readonly below: EntryHandle | undefined
  /** The prompt at its beginning that is drawn by default, null for none; looked for unless it is known. */
  readonly first?: EntryHandle | null
}

/** The number of newest prompts of a stretch that are drawn by default, besides the first one. */
const NEWEST = 2

/** A prompt is looked for among this many entries at the end of a stretch, and this many at its beginning. */
const FROM_END = 1000
const FROM_BEGINNING = 40

/** An entry is looked for among this many parents before jumps are tried. */
const NEAR_STEPS = 8

/** The sum along a path that says which entries a filter shows. */
type Sum = 'prompts' | 'texts'

const SUMS: { readonly [F in GraphFilter]?: Sum } = { 'user-only': 'prompts', 'no-tools': 'texts' }

/** Returns whether a filter shows an entry that is no stop; the default one all prompts. */
export async function isShownBy(look: LookAt, handle: EntryHandle, filter: GraphFilter): Promise<boolean> {
  if (filter === 'all' || filter === 'labeled-only') return filter === 'all'
  const sum = SUMS[filter] ?? 'prompts'
  const { weight, parents } = await look(handle)
  const [parent] = parents
  return weight[sum] > (parent === undefined ? 0 : await sumAt(look, parent, sum))
}

/** Returns how many entries of a stretch a filter shows. Reads no bodies, and few entries. */
export async function countShown(look: LookAt, stretch: Stretch, filter: GraphFilter): Promise<number> {
  const { length, stop } = stretch
  if (length === 0 || filter === 'labeled-only') return 0
  if (filter === 'all') return length
  const sum = SUMS[filter]
  if (sum === undefined) return (await drawnByDefault(look, stretch)).length
  const newest = (await ancestor(stop, 1, look)) as EntryHandle
  return (await sumAt(look, newest, sum)) - (await sumBelow(look, stretch, sum))
}

/** Yields entries of a stretch that a filter shows, the newest first, without the first `skip`. */
export async function* shownIn(
  look: LookAt,
  stretch: Stretch,
  filter: GraphFilter,
  skip = 0,
): AsyncGenerator<EntryHandle> {
  const { stop, length } = stretch
  if (length <= skip || filter === 'labeled-only') return
  const sum = SUMS[filter]
  if (filter === 'default') yield* (await drawnByDefault(look, stretch)).slice(skip)
  else if (sum === undefined) {
    let node = (await ancestor(stop, skip + 1, look)) as EntryHandle
    for (let left = length - skip; left > 0; left--) {
      yield node
      if (left > 1) node = (await look(node)).parents[0] as EntryHandle
    }
  } else {
    const lowest = await sumBelow(look, stretch, sum)
    let node = (await ancestor(stop, 1, look)) as EntryHandle
    for (let next = (await sumAt(look, node, sum)) - skip; next > lowest; next--) {
      node = await entryAt(look, node, sum, next)
      yield node
    }
  }
}

/** Returns the prompts of a stretch that are drawn by default, the newest first. */
async function drawnByDefault(look: LookAt, stretch: Stretch): Promise<readonly EntryHandle[]> {
  const { newest, first } = await shownByDefault(look, stretch)
  return first === undefined ? newest : [...newest, first]
}

/** The prompts of a stretch that are drawn by default: its newest ones, and the first one where it is none of them. */
interface DefaultPrompts {
  readonly newest: readonly EntryHandle[]
  readonly first: EntryHandle | undefined
}

/** Returns the prompts of a stretch that are drawn by default. */
export async function shownByDefault(look: LookAt, stretch: Stretch): Promise<DefaultPrompts> {
  const { stop, length } = stretch
  const newest: EntryHandle[] = []
  if (length === 0) return { newest, first: undefined }
  const top = (await look(stop)).depth
  const last = (await ancestor(stop, 1, look)) as EntryHandle
  const [sum, below] = [await sumAt(look, last, 'prompts'), await sumBelow(look, stretch, 'prompts')]
  const reach = Math.min(length, FROM_END)
  const low =
    reach === length ? below : await promptsBelow(look, (await ancestor(stop, reach, look)) as EntryHandle)
  for (let next = sum; next > low && newest.length < NEWEST; next--)
    newest.push(await entryAt(look, newest.at(-1) ?? last, 'prompts', next))
  if (stretch.first !== undefined) return { newest, first: stretch.first ?? undefined }
  const oldest = newest.at(-1)
  const passed = oldest === undefined ? 0 : top - (await look(oldest)).depth
  const left = Math.min(FROM_BEGINNING, length - (newest.length === NEWEST ? passed : reach))
  if (left <= 0 || sum - below === newest.length) return { newest, first: undefined }
  const end = (await ancestor(stop, length - left + 1, look)) as EntryHandle
  const isThere = (await sumAt(look, end, 'prompts')) > below
  return { newest, first: isThere ? await entryAt(look, end, 'prompts', below + 1) : undefined }
}

async function sumAt(look: LookAt, node: EntryHandle, sum: Sum): Promise<number> {
  return (await look(node)).weight[sum]
}

/** Returns the sum before the oldest entry of a stretch. */
const sumBelow = async (look: LookAt, { below }: Stretch, sum: Sum): Promise<number> =>
  below === undefined ? 0 : sumAt(look, below, sum)

/** Returns the number of prompts before an entry on its path. */
async function promptsBelow(look: LookAt, node: EntryHandle): Promise<number> {
  const [below] = (await look(node)).parents
  return below === undefined ? 0 : sumAt(look, below, 'prompts')
}

/** Returns the entry of a path at which a sum becomes as large as `target`, which it is at the end of the path. */
export async function entryAt(
  look: LookAt,
  end: EntryHandle,
  sum: Sum,
  target: number,
): Promise<EntryHandle> {
  let node = end
  let here = await look(end)
  for (let steps = 0; ; steps++) {
    const { jump, parents } = here
    const [parent] = parents
    if (parent === undefined) return node
    const found = look(parent)
    const before = found instanceof Promise ? await found : found
    if (before.weight[sum] < target) return node
    // The entry is most often near: then what jumps lead to need not be read.
    const far = steps < NEAR_STEPS || jump === parent ? undefined : await look(jump)
    ;[node, here] = far && far.weight[sum] >= target ? [jump, far] : [parent, before]
  }
}
