import { mergeBase } from '../graph/mergebase.ts'
import { SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import type { Reader } from '../repo/reader.ts'
import { RecordFinder } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { type ResolvedRevision, resolve } from '../repo/revision.ts'
import { logsOf } from '../repo/session.ts'
import { type Digested, type Pair, pairsOf } from './diff/pairs.ts'
import { since } from './diff/since.ts'
import { type LogEntry, logEntry } from './log.ts'
import { rangeOf } from './revisionrange.ts'

/** Where two branches part and what each side said since, in path order. */
export interface Diff {
  readonly base: Oid | null
  readonly left: readonly LogEntry[]
  readonly right: readonly LogEntry[]
  /** Both sides in order, those beside each other that correspond. */
  readonly pairs: readonly Pair[]
}

/** Two entries that are compared, and where they part. */
export interface Sides {
  readonly base: EntryHandle | undefined
  /** Undefined where the left side is the base itself. */
  readonly left: ResolvedRevision | undefined
  readonly right: ResolvedRevision
}

/**
 * Compares two revisions from their merge base on. One text may be a range: of `A..B` its ends, of `A...B` the merge base
 * and `B`, as git has it.
 */
export async function diff(repo: Repo, left: string, right?: string): Promise<Diff> {
  return repo.read(async (reader) => {
    const sides = await sidesOf(reader, repo.env.cwd, left, right)
    const { base } = sides
    const [l, r] = [
      sides.left ? await entriesSince(reader, sides.left, base) : [],
      await entriesSince(reader, sides.right, base),
    ]
    return {
      base: base === undefined ? null : await reader.oid(base),
      left: l.map(({ entry }) => entry),
      right: r.map(({ entry }) => entry),
      pairs: pairsOf(l, r, base !== undefined),
    }
  })
}

/** Returns what two revisions, or a range, name. Throws `bad-usage` for one revision, and as `resolve`. */
export async function sidesOf(reader: Reader, cwd: string, left: string, right?: string): Promise<Sides> {
  const range = right === undefined ? await rangeOf(reader, left, cwd) : undefined
  if (right === undefined && !range)
    throw new SessError('bad-usage', `'${left}' alone has nothing to differ from`, {
      hint: 'name two revisions, or a range: A..B, A...B',
    })
  const a = range?.left ?? (await resolve(reader, left, cwd))
  const b = range?.right ?? (await resolve(reader, right as string, cwd))
  const base = await mergeBase(a.handle, b.handle, (handle) => reader.node(handle))
  return { base, left: range?.symmetric ? undefined : a, right: b }
}

async function entriesSince(
  reader: Reader,
  at: ResolvedRevision,
  base: EntryHandle | undefined,
): Promise<Digested[]> {
  const finder = new RecordFinder(reader, at.session ? logsOf(at.session) : [])
  const entries: Digested[] = []
  try {
    for await (const handle of since(reader, at.handle, base)) {
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
    const { base } = await sidesOf(reader, repo.env.cwd, left, right)
    return base === undefined ? null : reader.oid(base)
  })
}
