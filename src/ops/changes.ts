import { SessError } from '../model/errors.ts'
import type { CommitPoint, RefValue } from '../model/operation.ts'
import { parseSessionRef, type RefName, swarmOf } from '../model/refname.ts'
import { sessionKind } from '../model/refs/table.ts'
import { type CommittedMoves, followCommits, presentPoint } from '../repo/changes.ts'
import type { Repo } from '../repo/repo.ts'

/** A ref that moved, with its new value: null where it was removed. */
export interface MovedRef {
  /** The full name: `sessions/<id>/branches/main`. */
  readonly name: RefName
  readonly value: RefValue | null
}

/** A session of which refs moved. */
export interface ChangedSession {
  readonly id: string
  /** Whether records were added to a log of it. */
  readonly grew: boolean
}

/** The moves of one or more commits. */
export interface StoreChange {
  /** Names the state after it: a reader that passes it as `since` the next time misses nothing. */
  readonly cursor: string
  /** The newest operation and the number of the newest commit. */
  readonly operation: number
  readonly commit: number
  readonly refs: readonly MovedRef[]
  readonly sessions: readonly ChangedSession[]
  /** The swarms that changed: their members, or which of them is current. */
  readonly swarms: readonly string[]
}

export interface ChangesOptions {
  /** The cursor of the change after which; from now on by default. */
  readonly since?: string
  /** Ends the iteration too. */
  readonly signal?: AbortSignal
}

/**
 * Yields what moves in the store, in the order of commits, whichever process moves it, until the signal of the call
 * aborts. Consecutive commits of one operation may be one change. Closes no operation, and holds no database between
 * two changes. Throws `no-operation` where the operations since the cursor were dropped, or it is no cursor.
 */
export async function* changes(
  repo: Repo,
  { since, signal }: ChangesOptions = {},
): AsyncGenerator<StoreChange> {
  const point = since === undefined ? undefined : pointOf(since)
  for await (const moves of followCommits(repo, { since: point, signal: signal ?? repo.signal }))
    yield changeOf(moves)
}

/** Returns the cursor of the present state. */
export const presentCursor = (repo: Repo): Promise<string> =>
  repo.read(async (reader) => cursorOf(await presentPoint(reader)))

const cursorOf = ({ operation, commit }: CommitPoint): string => `${operation}.${commit}`

/** Returns the point that a cursor names. Throws `no-operation`. */
function pointOf(cursor: string): CommitPoint {
  const [, operation, commit] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? []
  if (operation === undefined || commit === undefined)
    throw new SessError('no-operation', cursor, { detail: 'it is no cursor of a change' })
  return { operation: Number(operation), commit: Number(commit) }
}

function changeOf({ operation, commit, refs }: CommittedMoves): StoreChange {
  const sessions = new Map<string, boolean>()
  for (const [name, value] of refs) {
    const ref = parseSessionRef(name)
    if (!ref) continue
    const grew = value !== null && sessionKind(ref.kind)?.isLogHead === true
    sessions.set(ref.session, grew || (sessions.get(ref.session) ?? false))
  }
  return {
    cursor: cursorOf({ operation, commit }),
    operation,
    commit,
    refs: refs.map(([name, value]) => ({ name, value })),
    sessions: [...sessions].map(([id, grew]) => ({ id, grew })),
    swarms: refs.flatMap(([name]) => swarmOf(name) ?? []),
  }
}
