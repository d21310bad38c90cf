import { viewOf } from '../../formats/registry.ts'
import { matching } from '../../graph/align.ts'
import type { Oid } from '../../model/oid.ts'
import { ROLES, type Role, type View } from '../../model/view.ts'
import { charsIn, charsOf, tokensIn } from '../../model/weight.ts'
import type { Backend, Row } from '../../repo/backend.ts'
import type { Repo } from '../../repo/repo.ts'
import type { Resolved } from '../../repo/revision.ts'
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
  return repo.read(async (backend) => {
    const sides = await sidesOf(backend, repo.env.cwd, left, right)
    const { base } = sides
    const [l, r] = [await rowsSince(backend, sides.left, base), await rowsSince(backend, sides.right, base)]
    const same = matching(await digests(backend, l), await digests(backend, r))
    const counts = new Counts()
    for (const row of without(l, new Set(same.map(([i]) => i))))
      counts.add('removed', await seen(backend, row))
    for (const row of without(r, new Set(same.map(([, j]) => j))))
      counts.add('added', await seen(backend, row))
    return { base: base === undefined ? null : await backend.oid(base), same: same.length, ...counts.changes }
  })
}

async function rowsSince(backend: Backend, at: Resolved | undefined, base: Row | undefined): Promise<Row[]> {
  const rows: Row[] = []
  if (at) for await (const row of since(backend, at.row, base)) rows.push(row)
  return rows.reverse()
}

async function digests(backend: Backend, rows: readonly Row[]): Promise<string[]> {
  const found: string[] = []
  for (const row of rows) found.push((await backend.node(row)).digest)
  return found
}

const without = (rows: readonly Row[], places: ReadonlySet<number>): Row[] =>
  rows.filter((_, place) => !places.has(place))

const seen = async (backend: Backend, row: Row): Promise<View> =>
  viewOf((await backend.node(row)).type, await backend.body(row))

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
