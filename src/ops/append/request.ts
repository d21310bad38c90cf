import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { asString, defined, field, isObject, type Json } from '../../model/json.ts'
import { ROLES } from '../../model/view.ts'

/** An entry to append: its type, `sess/message` by default, and its body. A `sess/message` has a role and a content. */
export type Append = {
  readonly type?: string
  readonly body: Json
  /** When it was said, in milliseconds since 1970; now by default. */
  readonly time?: number
  /** Its id in the system that it comes from. */
  readonly native?: string
}

/** An entry to append with its full type. */
export type TypedAppend = Append & { readonly type: string }

/** Where entries are appended, and to what. */
export type AppendTo = {
  /** The branch that they continue; by default the one that the session is on. */
  readonly branch?: string
  /** The tip that is expected there, null for none. */
  readonly expected?: Oid | null
}

/** A request to append entries to a session, as it is sent to the process that holds the database. */
export type AppendRequest = AppendTo & {
  readonly session: string
  readonly entries: readonly TypedAppend[]
}

const TYPE = /^[a-z0-9][a-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Returns an entry with its full type. A type without a dialect is one of sess's own. Throws `bad-entry`. */
export function check({ type = 'sess/message', body, time, native }: Append): TypedAppend {
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
  if (time !== undefined && !Number.isSafeInteger(time))
    throw new SessError('bad-entry', 'the time is no whole number of milliseconds')
  if (native !== undefined && typeof native !== 'string')
    throw new SessError('bad-entry', 'the native id is no text')
  return { type: full, body, ...defined({ time, native }) }
}

/** Returns a request of another process with checked entries. Throws `bad-entry` and `no-branch`. */
export function checkRequest(asked: Json): AppendRequest {
  const { session, entries, branch, ...request } = asked as AppendRequest
  if (!Array.isArray(entries)) throw new SessError('bad-entry', 'the request has no entries')
  if (branch !== undefined && typeof branch !== 'string')
    throw new SessError('no-branch', `${session}/${JSON.stringify(branch)}`)
  const checked = (entries as readonly Append[]).map(check)
  return { ...request, session, entries: checked, ...(branch !== undefined && { branch }) }
}

/** The actions of agents that share a session. */
const ACTIONS = ['spawn', 'complete', 'fork', 'branch'] as const
