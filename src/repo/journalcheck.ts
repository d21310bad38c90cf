import { encode } from '../model/encoding/canonical.ts'
import { SessError } from '../model/errors.ts'
import type { RefValue } from '../model/operation.ts'
import { parseSessionRef, type RefName, tombstoneOf } from '../model/refname.ts'
import { removeLeftovers } from '../storage/directory/leftovers.ts'
import {
  hasJournal,
  type Journal,
  journalIsLarge,
  lastCommit,
  readJournal,
  recentlyMoved,
  rewriteJournal,
} from '../storage/journal.ts'
import { appendJournal } from '../storage/journalwriter.ts'
import { isHeld } from '../storage/leveldb/database.ts'
import { operationsBetween } from './oplog/operationlog.ts'
import type { Reader } from './reader.ts'

const lost = (count: number): string => `the database lost its last ${count} writes`

/** Throws `corrupt` where the journal has commits that the database has lost. Brings an older journal up to date. */
export async function checkEnd(dir: string, reader: Reader): Promise<void> {
  const commits = (await reader.operationLog()).commits
  const last = lastCommit(dir)
  // A process was killed right after it had published a rewritten database: the former one may hold removed content.
  if (last === 0 && commits > 0 && !hasJournal(dir)) await removeLeftovers(dir, isHeld)
  // A process was killed, or the disk was full, between the two writes: the database counts.
  if (last < commits) await catchUp(dir, reader, commits)
  else if (last > commits) throw new SessError('corrupt', lost(last - commits))
  if (journalIsLarge(dir)) await renewJournal(dir, reader)
}

/** Returns whether the journal has commits that the database has lost. */
export const isAhead = async (dir: string, reader: Reader): Promise<boolean> =>
  (readJournal(dir).lines.at(-1)?.commit ?? 0) > (await reader.operationLog()).commits

/** Brings the journal up to date from the operation log. */
async function catchUp(dir: string, reader: Reader, commit: number): Promise<void> {
  const { lines, torn } = readJournal(dir)
  const known = lines.at(-1)
  if (known && known.commit > commit) throw new SessError('corrupt', lost(known.commit - commit))
  // It has the newest commit, and not as its last line: a stopped process wrote a late line.
  if (!known || torn || known.commit === commit) return renewJournal(dir, reader)
  const { latest: operation, dropped } = await reader.operationLog()
  // A journal of before a gc, which dropped operations that it lacks.
  if (known.operation <= dropped.operation) return renewJournal(dir, reader)
  const refs = new Map<RefName, RefValue | null>()
  for await (const { moves } of operationsBetween(reader, known.operation - 1))
    for (const move of moves) refs.set(move.name, move.new ?? null)
  // Its lines have what was expunged since: it is from an older copy of the store.
  if ([...refs.keys()].some(tombstoneOf)) return renewJournal(dir, reader)
  appendJournal(dir, { operation, commit, commits: commit - known.commit, refs: [...refs] })
}

/** Rewrites the journal from the refs. */
export async function renewJournal(dir: string, reader: Reader): Promise<void> {
  const refs: [RefName, RefValue][] = []
  for await (const pair of reader.refs('')) refs.push(pair)
  const { latest: operation, commits } = await reader.operationLog()
  rewriteJournal(dir, { operation, commit: commits, commits, refs })
}

/**
 * Reads the journal of a store, and returns a function that compares it with the refs of a database and returns
 * the differences. To be called before the database is opened: a journal that is read while others write knows of more
 * than a copy of the database has. A journal that lacks the last commits is no problem: it is brought up to date when
 * the store is opened.
 */
export function journalCheck(dir: string): (reader: Reader) => Promise<string[]> {
  const journal = readJournal(dir)
  return (reader) => journalProblems(journal, reader)
}

async function journalProblems({ lines, damaged }: Journal, reader: Reader): Promise<string[]> {
  const commits = (await reader.operationLog()).commits
  const newest = lines.at(-1)?.commit ?? 0
  if (newest > commits) return [lost(newest - commits)]
  if (newest < commits) return []
  const refs = new Map<RefName, RefValue | null>()
  for (const line of lines) for (const [name, value] of line.refs) refs.set(name, value)
  const problems: string[] = []
  for (const [name, value] of refs) {
    const now = (await reader.ref(name)) ?? null
    if (Buffer.compare(encode(now), encode(value)) !== 0)
      problems.push(`the ref ${name} is not what the journal says`)
  }
  if (damaged > 0) problems.push(`${damaged} lines fail their checksum`)
  return problems
}

/** Returns the ids of the sessions whose refs moved last, the newest first, from the end of the journal. */
export const recentSessions = (dir: string): string[] => [
  ...new Set(recentlyMoved(dir).flatMap((name) => parseSessionRef(name)?.session ?? [])),
]

/** Returns what can be read of the journal of a store. */
export const journalOf = (dir: string): Journal => readJournal(dir)
