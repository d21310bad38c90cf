import { alignLists, type IndexPair, matchByScore, matchKeys } from '../graph/align.ts'
import { mergeBase } from '../graph/mergebase.ts'
import { since } from '../graph/range.ts'
import { collected } from '../model/async.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import { textsOf } from '../model/search/entrytext.ts'
import { charsIn, charsOf, tokensIn } from '../model/tokens.ts'
import { type Block, ROLES, type Role, type View } from '../model/view.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import { RecordFinder } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { type ResolvedRevision, resolve } from '../repo/revision.ts'
import { logsOf } from '../repo/session.ts'
import { type LogEntry, logEntry, oidOrNull, viewAt } from './entries.ts'
import { rangeOf } from './revisionrange.ts'

/** The merge base of two branches, and the entries of each side since, in path order. */
export interface Diff {
  readonly base: Oid | null
  readonly left: readonly LogEntry[]
  readonly right: readonly LogEntry[]
  /** The entries of both sides in order, with corresponding ones in pairs. */
  readonly pairs: readonly Pair[]
}

/**
 * Compares two revisions from their merge base on. A single text must be a range: `A..B` compares its ends, `A...B` the merge
 * base with `B`, as in git.
 */
export async function diff(repo: Repo, left: string, right?: string): Promise<Diff> {
  return repo.read(async (reader) => {
    const sides = await sidesOf(reader, left, right)
    const { base } = sides
    const [l, r] = [
      sides.left ? await entriesSince(reader, sides.left, base) : [],
      await entriesSince(reader, sides.right, base),
    ]
    return {
      base: await oidOrNull(reader, base),
      left: l.map(({ entry }) => entry),
      right: r.map(({ entry }) => entry),
      pairs: pairsOf(l, r, base !== undefined),
    }
  })
}

/**
 * Resolves two revisions, or a range, to two sides; without a left one that is the merge base. Throws `bad-usage` for a
 * single revision, and as `resolve`.
 */
async function sidesOf(reader: Reader, left: string, right?: string) {
  const range = right === undefined ? await rangeOf(reader, left) : undefined
  if (right === undefined && !range)
    throw new SessError('bad-usage', `'${left}' alone has nothing to differ from`, {
      hint: 'name two revisions, or a range: A..B, A...B',
    })
  const a = range?.left ?? (await resolve(reader, left))
  const b = range?.right ?? (await resolve(reader, right as string))
  const base = await mergeBase(a.handle, b.handle, lookIn(reader))
  return { base, left: range?.symmetric ? undefined : a, right: b }
}

async function entriesSince(
  reader: Reader,
  at: ResolvedRevision,
  base: EntryHandle | undefined,
): Promise<EntryWithDigest[]> {
  const finder = new RecordFinder(reader, at.session ? logsOf(at.session) : [])
  const entries: EntryWithDigest[] = []
  try {
    for await (const handle of since(at.handle, base, lookIn(reader))) {
      const { digest } = await reader.node(handle)
      entries.push({ entry: await logEntry(reader, handle, at.session, await finder.find(handle)), digest })
    }
  } finally {
    await finder.close()
  }
  return entries.reverse()
}

/** Returns the best common ancestor of two revisions, or null where there is none. */
export async function mergeBaseOf(repo: Repo, left: string, right: string): Promise<Oid | null> {
  return repo.read(async (reader) => {
    const { base } = await sidesOf(reader, left, right)
    return oidOrNull(reader, base)
  })
}

/** An entry of one side, or two corresponding entries. */
export interface Pair {
  readonly left?: LogEntry
  readonly right?: LogEntry
  /** Whether both have the same content. */
  readonly same: boolean
}

/** An entry and the digest of its body. */
export interface EntryWithDigest {
  readonly entry: LogEntry
  readonly digest: string
}

/**
 * Returns the entries of two sides in order, with corresponding ones in pairs: first those with equal bodies, between them
 * those with equal text, between them the most similar ones. If the sides are `related`, entries of one kind correspond even
 * if they differ; else only if they are similar.
 */
export function pairsOf(
  left: readonly EntryWithDigest[],
  right: readonly EntryWithDigest[],
  related: boolean,
): Pair[] {
  const [l, r] = [left.map(comparedEntry), right.map(comparedEntry)]
  const bodies = matchKeys(
    left.map(({ digest }) => digest),
    right.map(({ digest }) => digest),
  )
  const words = matchTexts(bodies, [l, r])
  const matches = matchByScore(words, [l.length, r.length], (i, j) =>
    similarity(l[i] as ComparedEntry, r[j] as ComparedEntry, related),
  )
  return alignLists(l, r, matches).map((pair) => ({
    ...(pair.left && { left: pair.left.entry }),
    ...(pair.right && { right: pair.right.entry }),
    same: pair.left !== undefined && pair.right !== undefined && isSame(pair.left, pair.right),
  }))
}

interface ComparedEntry extends EntryWithDigest {
  /** The role of a message and whether it has text; the type of any other entry. */
  readonly kind: string
  readonly text: string
  /** Its words, once they were needed. */
  words?: ReadonlySet<string>
}

const comparedEntry = ({ entry, digest }: EntryWithDigest): ComparedEntry => ({
  entry,
  digest,
  kind: kindOf(entry),
  text: textOfEntry(entry),
})

const kindOf = ({ role, type, text }: LogEntry): string =>
  role === null ? type : `${role}${text === null ? '' : ' text'}`

/** Returns the text of an entry without thinking, which agents leave out of copies. */
const textOfEntry = ({ view }: LogEntry): string =>
  textsOf({ ...view, blocks: view.blocks.filter(({ kind }: Block) => kind !== 'thinking') })
    .map(({ text }) => text)
    .join('\0')

const isSame = (left: ComparedEntry, right: ComparedEntry): boolean =>
  left.digest === right.digest || (left.kind === right.kind && left.text === right.text && left.text !== '')

/** Adds to matches the entries with equal text between them. */
function matchTexts(
  matches: readonly IndexPair[],
  [left, right]: readonly [readonly ComparedEntry[], readonly ComparedEntry[]],
): IndexPair[] {
  const found: IndexPair[] = []
  let [l, r] = [0, 0]
  // Entries without text equal no others.
  const key = (one: ComparedEntry, i: number): string =>
    one.text === '' ? `\0${i}` : `${one.kind}\0${one.text}`
  for (const [toLeft, toRight] of [...matches, [left.length, right.length] as const]) {
    const [ls, rs] = [left.slice(l, toLeft), right.slice(r, toRight)]
    const here = matchKeys(
      ls.map(key),
      rs.map((one, i) => key(one, -1 - i)),
    )
    for (const [i, j] of here) found.push([l + i, r + j])
    if (toLeft < left.length) found.push([toLeft, toRight])
    ;[l, r] = [toLeft + 1, toRight + 1]
  }
  return found
}

/** The number of characters of a text that are compared. */
const COMPARED_CHARS = 4000

/** The scale of similarity. Unrelated entries correspond if they share half of their words. */
const PARTS = 16
const SIMILAR = PARTS / 2

/** Returns the similarity of two entries, from 1 to 17 for equal words; 0 if they do not correspond. */
function similarity(left: ComparedEntry, right: ComparedEntry, related: boolean): number {
  if (left.kind !== right.kind) return 0
  const [a, b] = [wordsOf(left), wordsOf(right)]
  let common = 0
  for (const word of a) if (b.has(word)) common++
  const share = a.size + b.size === 0 ? 0 : Math.round((2 * PARTS * common) / (a.size + b.size))
  return related || share >= SIMILAR ? 1 + share : 0
}

const wordsOf = (one: ComparedEntry): ReadonlySet<string> =>
  (one.words ??= new Set(
    one.text
      .slice(0, COMPARED_CHARS)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  ))

/** The amount of text of some entries, or of some tool calls with their results. */
export interface Amount {
  readonly count: number
  readonly chars: number
  /** Estimated. */
  readonly tokens: number
}

/** The amounts that only the left side and only the right side has. */
export interface DiffChange {
  readonly removed: Amount
  readonly added: Amount
}

/** The amounts by which two branches differ. Entries with equal bodies on both sides do not count. */
export interface DiffStat {
  readonly base: Oid | null
  /** The number of entries since the merge base that both sides have. */
  readonly same: number
  readonly entries: DiffChange
  /** The entries with a role, in total and by role. */
  readonly messages: DiffChange
  readonly roles: Readonly<Partial<Record<Role, DiffChange>>>
  /** The calls of each tool, with the text of their results. */
  readonly tools: { readonly [name: string]: DiffChange }
}

/** Counts the differences of two revisions, or of a range. Holds no bodies. Throws as `diff`. */
export async function diffStat(repo: Repo, left: string, right?: string): Promise<DiffStat> {
  return repo.read(async (reader) => {
    const sides = await sidesOf(reader, left, right)
    const { base } = sides
    const [l, r] = [
      await handlesSince(reader, sides.left, base),
      await handlesSince(reader, sides.right, base),
    ]
    const same = matchKeys(await digests(reader, l), await digests(reader, r))
    const counts = new DiffCounts()
    for (const handle of without(l, new Set(same.map(([i]) => i))))
      counts.add('removed', await viewAt(reader, handle))
    for (const handle of without(r, new Set(same.map(([, j]) => j))))
      counts.add('added', await viewAt(reader, handle))
    return { base: await oidOrNull(reader, base), same: same.length, ...counts.changes }
  })
}

async function handlesSince(
  reader: Reader,
  at: ResolvedRevision | undefined,
  base: EntryHandle | undefined,
): Promise<EntryHandle[]> {
  return at ? (await collected(since(at.handle, base, lookIn(reader)))).reverse() : []
}

async function digests(reader: Reader, handles: readonly EntryHandle[]): Promise<string[]> {
  const found: string[] = []
  for (const handle of handles) found.push((await reader.node(handle)).digest)
  return found
}

const without = (handles: readonly EntryHandle[], places: ReadonlySet<number>): EntryHandle[] =>
  handles.filter((_, place) => !places.has(place))

const NONE: Amount = { count: 0, chars: 0, tokens: 0 }
const NO_CHANGE: DiffChange = { removed: NONE, added: NONE }

class DiffCounts {
  #entries = NO_CHANGE
  #messages = NO_CHANGE
  readonly #roles = new Map<Role, DiffChange>()
  readonly #tools = new Map<string, DiffChange>()
  /** The tool of each call, by its id. */
  readonly #called = new Map<string, string>()

  add(side: keyof DiffChange, view: View): void {
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

function more(
  change: DiffChange = NO_CHANGE,
  side: keyof DiffChange,
  count: number,
  chars: number,
): DiffChange {
  const had = change[side]
  const amount = { count: had.count + count, chars: had.chars + chars, tokens: had.tokens + tokensIn(chars) }
  return { ...change, [side]: amount }
}
