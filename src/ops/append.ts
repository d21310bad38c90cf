import { SessError } from '../model/errors.ts'
import { asString, field, isObject, type Json } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import { metaRef } from '../model/refname.ts'
import { ROLES } from '../model/view.ts'
import { uuid7 } from '../repo/env.ts'
import type { Repo } from '../repo/repo.ts'
import { refValue, type SessionMeta } from '../repo/session.ts'
import { type AppendTo, type Ask, appendHere, appending } from './append/appending.ts'
import type { Append } from './append/requests.ts'
import { listenersOf } from './events.ts'

/** What a new session is called and where it is held. */
export interface NewSession {
  readonly title?: string
  /** The folder that it belongs to: the one of the store's environment unless said. */
  readonly cwd?: string
}

const TYPE = /^[a-z0-9][a-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Creates an empty session and returns its id, a UUID of version 7. */
export async function createSession(repo: Repo, { title, cwd }: NewSession = {}): Promise<string> {
  return repo.write({}, (change) => {
    const id = uuid7(repo.env)
    const now = repo.env.now()
    const meta: SessionMeta = {
      format: 'sess',
      title: title?.toWellFormed() ?? null,
      cwd: (cwd ?? repo.env.cwd).toWellFormed(),
      created: now,
      native: null,
      path: null,
    }
    change.move(metaRef(id), undefined, refValue(meta))
    return id
  })
}

/**
 * Appends entries to where a session stands, or to a branch of it, one after the other, and gives their oids once they
 * are durable. With `expected`, the tip must be that oid, or none when null: else it throws `conflict` with both, and
 * nothing happens. Throws `no-session`, `no-branch` for a branch that is not there, and `cancelled`.
 */
export async function append(
  repo: Repo,
  session: string,
  entries: readonly Append[],
  to: AppendTo = {},
): Promise<Oid[]> {
  const checked = entries.map(check)
  const listeners = listenersOf(repo)
  const told = { session, branch: to.branch ?? null }
  if (listeners.hears('before-append')) await listeners.permit('before-append', { ...told, entries: checked })
  const oids = await repo.delegate(appending(repo, session, checked, to))
  if (listeners.hears('append')) await listeners.tell('append', { ...told, oids })
  return oids
}

/**
 * Appends what another process asks for. What is no entry, or no branch's name, is refused here: with what others ask at the same time it would be
 * written as one, or not at all.
 */
export function appendAsked(repo: Repo, asked: Json): Promise<Oid[]> {
  const { session, entries, ...how } = asked as Ask
  if (!Array.isArray(entries)) throw new SessError('bad-entry', 'no entries were asked for')
  const branch: unknown = how.branch ?? ''
  if (typeof branch !== 'string') throw new SessError('no-branch', `${session}/${JSON.stringify(branch)}`)
  return appendHere(repo, session, (entries as readonly Append[]).map(check), how)
}

/** Gives an entry with its full type, or throws `bad-entry`. A type without a dialect is one of sess's own. */
export function check({ type = 'sess/message', body }: Append): Required<Append> {
  const full = type.includes('/') ? type : `sess/${type}`
  if (!TYPE.test(full)) throw new SessError('bad-entry', `'${type}' is no type`)
  if (full === 'sess/message') {
    const role = asString(field(body, 'role'))
    const content = field(body, 'content')
    if (!isObject(body)) throw new SessError('bad-entry', 'the body of a message is an object')
    if (role === undefined || !ROLES.some((known) => known === role))
      throw new SessError('bad-entry', `the role is none of ${ROLES.join(', ')}`)
    if (asString(content) === undefined && !Array.isArray(content))
      throw new SessError('bad-entry', 'the content is no text and no list of blocks')
  }
  if (full === 'sess/agent_action') {
    const action = asString(field(body, 'action'))
    if (!ACTIONS.some((known) => known === action))
      throw new SessError('bad-entry', `the action is none of ${ACTIONS.join(', ')}`)
    if (!asString(field(body, 'agentId'))) throw new SessError('bad-entry', 'an action has an agentId')
  }
  return { type: full, body }
}

/** What agents do that share a session. */
const ACTIONS = ['spawn', 'complete', 'fork', 'branch'] as const
