import { viewOf } from '../../formats/registry.ts'
import { matchKeys } from '../../graph/align.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import { ROLES, type Role, type View } from '../../model/view.ts'
import { charsIn, charsOf, tokensIn } from '../../model/weight.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import type { ResolvedRevision } from '../../repo/revision.ts'
import { sidesOf } from '../diff.ts'
import { since } from './since.ts'

/** How much some entries, or some tool calls with their results, say. */
export interface Amount {
  readonly count: number
  readonly chars: number
  /** Estimated. */
  readonly tokens: number
}

/** How much only the left side says, and how much only the right side does. */
export interface Change {
  readonly removed: Amount
  readonly added: Amount
}

/** How much two branches differ by. Entries with the same body on both sides are no difference. */
export interface DiffStat {
  readonly base: Oid | null
  /** How many entries both sides have since they parted. */
  readonly same: number
  readonly entries: Change
  /** Of the entries those with a role, all together and by their roles. */
  readonly messages: Change
  readonly roles: Readonly<Partial<Record<Role, Change>>>
  /** By the names of tools their calls, with what their results say. */
  readonly tools: { readonly [name: string]: Change }
}

/** Counts how much two revisions, or a range, differ by. Holds no bodies. Throws as `diff`. */
export async function diffStat(repo: Repo, left: string, right?: string): Promise<DiffStat> {
  return repo.read(async (reader) => {
    const sides = await sidesOf(reader, repo.env.cwd, left, right)
    const { base } = sides
    const [l, r] = [
      await handlesSince(reader, sides.left, base),
      await handlesSince(reader, sides.right, base),
    ]
    const same = matchKeys(await digests(reader, l), await digests(reader, r))
    const counts = new Counts()
    for (const handle of without(l, new Set(same.map(([i]) => i))))
      counts.add('removed', await seen(reader, handle))
    for (const handle of without(r, new Set(same.map(([, j]) => j))))
      counts.add('added', await seen(reader, handle))
    return { base: base === undefined ? null : await reader.oid(base), same: same.length, ...counts.changes }
  })
}

async function handlesSince(
  reader: Reader,
  at: ResolvedRevision | undefined,
  base: EntryHandle | undefined,
): Promise<EntryHandle[]> {
  const handles: EntryHandle[] = []
  if (at) for await (const handle of since(reader, at.handle, base)) handles.push(handle)
  return handles.reverse()
}

async function digests(reader: Reader, handles: readonly EntryHandle[]): Promise<string[]> {
  const found: string[] = []
  for (const handle of handles) found.push((await reader.node(handle)).digest)
  return found
}

const without = (handles: readonly EntryHandle[], places: ReadonlySet<number>): EntryHandle[] =>
  handles.filter((_, place) => !places.has(place))

const seen = async (reader: Reader, handle: EntryHandle): Promise<View> =>
  viewOf((await reader.node(handle)).type, await reader.body(handle))

const NONE: Amount = { count: 0, chars: 0, tokens: 0 }
const NO_CHANGE: Change = { removed: NONE, added: NONE }

class Counts {
  #entries = NO_CHANGE
  #messages = NO_CHANGE
  readonly #roles = new Map<Role, Change>()
  readonly #tools = new Map<string, Change>()
  /** By the id of a call the tool that it calls. */
  readonly #called = new Map<string, string>()

  add(side: keyof Change, view: View): void {
    const chars = charsOf(view)
    this.#entries = more(this.#entries, side, 1, chars)
    const { role } = view
    if (role !== null) {
      this.#messages = more(this.#messages, side, 1, chars)
      this.#roles.set(role, more(this.#roles.get(role), side, 1, chars))
    }
    for (const block of view.blocks) {
      if (block.kind !== 'toolCall' && block.kind !== 'toolResult') continue
      if (block.kind === 'toolCall') this.#called.set(block.id, block.name)
      const name = block.name ?? this.#called.get(block.id) ?? '?'
      const count = block.kind === 'toolCall' ? 1 : 0
      this.#tools.set(name, more(this.#tools.get(name), side, count, charsIn(block)))
    }
  }

  get changes(): Omit<DiffStat, 'base' | 'same'> {
    return {
      entries: this.#entries,
      messages: this.#messages,
      roles: Object.fromEntries(
        ROLES.flatMap((role) => [[role, this.#roles.get(role)] as const].filter(([, of]) => of)),
      ),
      tools: Object.fromEntries(this.#tools),
    }
  }
}

function more(change: Change = NO_CHANGE, side: keyof Change, count: number, chars: number): Change {
  const had = change[side]
  const amount = { count: had.count + count, chars: had.chars + chars, tokens: had.tokens + tokensIn(chars) }
  return { ...change, [side]: amount }
}
