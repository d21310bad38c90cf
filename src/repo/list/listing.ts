import { type Awaitable, andThen } from '../../model/awaitable.ts'
import { isOid } from '../../model/oid.ts'
import { parseSessionRef } from '../../model/refname.ts'
import type { Backend, RefMove } from '../../storage/backend.ts'
import { unlessDamaged } from '../../storage/blocks/blocks.ts'
import type { KeptList, ListMoment } from '../../storage/list.ts'
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
export async function listedIn(backend: Backend): Promise<ListTable> {
  return (await soundIn(backend)) ?? allListed(backend)
}

/** Gives the sessions of which a list that was kept says something else than their refs do, as lists say it. Throws `corrupt` where it is none. */
export async function listProblems(backend: Backend): Promise<string[]> {
  const table = await keptIn(backend)
  const kept = new Map((table ? rowsOf(table) : []).map((row) => [row.id, JSON.stringify(row)]))
  if (kept.size === 0) return []
  const wrong: string[] = []
  for await (const session of allSessions(backend)) {
    if (kept.get(session.id) !== JSON.stringify(listed(session))) wrong.push(session.id)
    kept.delete(session.id)
  }
  return [...wrong, ...kept.keys()]
}

/** Gives the same where a list was kept and little has moved since, else undefined. */
async function keptIn(backend: Backend, decode = decodeList): Promise<ListTable | undefined> {
  const kept = await backend.list()
  return kept && tableSince(backend, kept, decode)
}

/** Gives the same; nothing where its bytes are no list, for refs say the same. */
const soundIn = (backend: Backend): Promise<ListTable | undefined> =>
  keptIn(backend, (bytes) => unlessDamaged(() => decodeList(bytes)))

async function allListed(backend: Backend): Promise<ListTable> {
  const rows: Listed[] = []
  for await (const session of allSessions(backend)) rows.push(listed(session))
  return tableOf(rows)
}

async function tableSince(
  backend: Backend,
  kept: KeptList,
  decode: typeof decodeList,
): Promise<ListTable | undefined> {
  if (kept.sessions === 0) return undefined
  const moved = await movedSince(backend, kept)
  const table = moved && decode(kept.bytes)
  if (!moved || moved.size === 0 || !table) return table
  const rows: Listed[] = []
  for (const id of moved) {
    const session = await findSession(backend, id)
    if (session) rows.push(listed(session))
  }
  return replaced(table, moved, rows)
}

/**
 * Gives the sessions whose refs moved since a list was kept, by the operations since; undefined where these are not
 * known, or so many that all refs are read as fast.
 */
async function movedSince(
  backend: Backend,
  { operation, commit, sessions }: ListMoment,
): Promise<ReadonlySet<string> | undefined> {
  const moved = new Set<string>()
  if ((await backend.commits()) === commit) return moved
  const last = await backend.lastOperation()
  if (last - operation > sessions || (await backend.forgotten()).operation > operation) return undefined
  for (let number = last; number > operation; number--) {
    const known = await backend.operation(number)
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
  await repo.write({ bulk: true, plain: true }, async ({ backend, transaction }) => {
    const table = await read(backend)
    const rows = unlessDamaged(() => rowsOf(table)) ?? rowsOf(await allListed(backend))
    const isSound = rows.every(({ branches, labels, agents }) =>
      [branches, labels, agents].every((map) => Object.values(map).every(isOid)),
    )
    const isKept = rows.length >= few && isSound
    transaction.keepList({
      operation: await backend.lastOperation(),
      commit: await backend.commits(),
      sessions: isKept ? rows.length : 0,
      bytes: isKept ? encodeList(rows) : new Uint8Array(0),
    })
  })
}

/** The moment of a list that was never kept. */
const NEVER: ListMoment = { operation: 0, commit: 0, sessions: 0 }

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
  wrote(repo: Repo, backend: Backend, moves: readonly RefMove[]): Awaitable<void> {
    addSessions(this.#moved, moves)
    return andThen(backend.listMoment(), (moment) =>
      andThen(backend.lastOperation(), (last) => {
        if (this.#isBehind(moment, last)) this.#ask(repo)
      }),
    )
  }

  #isBehind({ operation, sessions }: ListMoment = NEVER, last: number): boolean {
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
