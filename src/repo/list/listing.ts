import { type Awaitable, andThen } from '../../model/awaitable.ts'
import { isOid } from '../../model/oid.ts'
import type { RefMove } from '../../model/operation.ts'
import { parseSessionRef } from '../../model/refname.ts'
import type { ListState, SessionList } from '../../storage/backend.ts'
import { unlessDamaged } from '../../storage/blocks/blocks.ts'
import type { Reader } from '../reader.ts'
import type { Repo } from '../repo.ts'
import { allSessions, findSession } from '../session.ts'
import { type ListTable, replaced, rowsOf, tableOf } from './listcells.ts'
import { type Listed, listed } from './listed.ts'
import { decodeList, encodeList } from './listtable.ts'

/** The refs of so few sessions are read as fast as a list of them. */
const FEW = 32

/** So many operations, and a part of the sessions as many as this divides them into, may follow before a list is made anew. */
const OPERATIONS = 256
const PART = 32

/** A part of the sessions as many as this divides them into may have moved before a list is made anew, or not used. */
const MOVED = 8

/** Gives what lists say of all sessions: from the list that was kept last, and the refs that moved since. */
export async function listedIn(reader: Reader): Promise<ListTable> {
  return (await soundIn(reader)) ?? allListed(reader)
}

/** Gives the sessions of which a list that was kept says something else than their refs do, as lists say it. Throws `corrupt` where it is none. */
export async function listProblems(reader: Reader): Promise<string[]> {
  const table = await keptIn(reader)
  const kept = new Map((table ? rowsOf(table) : []).map((row) => [row.id, JSON.stringify(row)]))
  if (kept.size === 0) return []
  const wrong: string[] = []
  for await (const session of allSessions(reader)) {
    if (kept.get(session.id) !== JSON.stringify(listed(session))) wrong.push(session.id)
    kept.delete(session.id)
  }
  return [...wrong, ...kept.keys()]
}

/** Gives the same where a list was kept and little has moved since, else undefined. */
async function keptIn(reader: Reader, decode = decodeList): Promise<ListTable | undefined> {
  const kept = await reader.cache.list()
  return kept && tableSince(reader, kept, decode)
}

/** Gives the same; nothing where its bytes are no list, for refs say the same. */
const soundIn = (reader: Reader): Promise<ListTable | undefined> =>
  keptIn(reader, (bytes) => unlessDamaged(() => decodeList(bytes)))

async function allListed(reader: Reader): Promise<ListTable> {
  const rows: Listed[] = []
  for await (const session of allSessions(reader)) rows.push(listed(session))
  return tableOf(rows)
}

async function tableSince(
  reader: Reader,
  kept: SessionList,
  decode: typeof decodeList,
): Promise<ListTable | undefined> {
  if (kept.sessions === 0) return undefined
  const moved = await movedSince(reader, kept)
  const table = moved && decode(kept.bytes)
  if (!moved || moved.size === 0 || !table) return table
  const rows: Listed[] = []
  for (const id of moved) {
    const session = await findSession(reader, id)
    if (session) rows.push(listed(session))
  }
  return replaced(table, moved, rows)
}

/**
 * Gives the sessions whose refs moved since a list was kept, by the operations since; undefined where these are not
 * known, or so many that all refs are read as fast.
 */
async function movedSince(
  reader: Reader,
  { operation, commits, sessions }: ListState,
): Promise<ReadonlySet<string> | undefined> {
  const moved = new Set<string>()
  if ((await reader.operationLog()).commits === commits) return moved
  const last = (await reader.operationLog()).latest
  if (last - operation > sessions || (await reader.operationLog()).dropped.operation > operation)
    return undefined
  for (let number = last; number > operation; number--) {
    const known = await reader.operation(number)
    if (!known) return undefined
    addSessions(moved, known.moves)
    if (moved.size > sessions / MOVED) return undefined
  }
  return moved
}

function addSessions(to: Set<string>, moves: readonly RefMove[]): void {
  for (const { name } of moves) {
    const session = parseSessionRef(name)?.session
    if (session !== undefined) to.add(session)
  }
}

/** Makes the list of sessions anew and keeps it, of all refs or of those that moved; of few sessions, that they are few. */
export async function renewList(repo: Repo, read = allListed, few = FEW): Promise<void> {
  await repo.write({ bulk: true, plain: true }, async ({ reader, keepList }) => {
    const table = await read(reader)
    const rows = unlessDamaged(() => rowsOf(table)) ?? rowsOf(await allListed(reader))
    const isSound = rows.every(({ branches, labels, agents }) =>
      [branches, labels, agents].every((map) => Object.values(map).every(isOid)),
    )
    const isKept = rows.length >= few && isSound
    const { latest, commits } = await reader.operationLog()
    keepList({
      operation: latest,
      commits,
      sessions: isKept ? rows.length : 0,
      bytes: isKept ? encodeList(rows) : new Uint8Array(0),
    })
  })
}

/** The moment of a list that was never kept. */
const NEVER: ListState = { operation: 0, commits: 0, sessions: 0 }

/** Has the list of sessions made anew once much was written since. */
export class ListKeeper {
  /** The sessions whose refs moved since, as far as this process moved them. */
  readonly #moved = new Set<string>()
  #isOld = false
  /** Settles once the list that is being made, if any, is kept. */
  #renewing: Promise<void> = Promise.resolve()

  /** Gives what lists say of all sessions. Where that took long it will be faster next time. */
  async read(repo: Repo): Promise<ListTable> {
    const kept = await repo.read(soundIn)
    if (kept) return kept
    const table = await repo.read(allListed)
    if (table.count >= FEW && repo.atOperation === undefined && !repo.isDry) this.#ask(repo)
    return table
  }

  #ask(repo: Repo): void {
    this.#isOld = true
    repo.whenQuiet('list', () => (this.#renewing = this.#renew(repo)))
  }

  /** Notes moves that were written. */
  wrote(repo: Repo, reader: Reader, moves: readonly RefMove[]): Awaitable<void> {
    addSessions(this.#moved, moves)
    return andThen(reader.cache.listState(), (moment) =>
      andThen(reader.operationLog(), ({ latest }) => {
        if (this.#isBehind(moment, latest)) this.#ask(repo)
      }),
    )
  }

  #isBehind({ operation, sessions }: ListState = NEVER, last: number): boolean {
    return (
      this.#moved.size >= Math.max(FEW, sessions / MOVED) ||
      last - operation >= Math.max(OPERATIONS, sessions / PART)
    )
  }

  async #renew(repo: Repo): Promise<void> {
    this.#isOld = false
    this.#moved.clear()
    await renewList(repo, listedIn)
  }

  /** Makes it anew before the store is closed, where it is old, or has it made to the end: a command has few quiet moments. */
  async end(repo: Repo): Promise<void> {
    if (repo.stopped) return
    // The command is done. Where this fails, the next one tells why.
    await this.#renewing.catch(() => undefined)
    if (this.#isOld) await this.#renew(repo).catch(() => undefined)
  }
}
