import { SessError } from '../model/errors.ts'
import { asString, field, isObject, type Json } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import { headRef, metaRef } from '../model/refname.ts'
import { ROLES } from '../model/view.ts'
import { uuid7 } from '../repo/env.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { type Head, type Meta, ON_MAIN, refValue } from '../repo/session.ts'
import { listenersOf } from './events.ts'
import { type Grown, Growth } from './growth.ts'
import { indexWaiting } from './index.ts'
import { type Place, placeOf } from './place.ts'
import { type Outcome, together } from './together.ts'

/** What is said: its type, `sess/message` unless given, and its body. A `sess/message` has a role and a content. */
export interface Append {
  readonly type?: string
  readonly body: Json
}

/** What a new session is called and where it is held. */
export interface NewSession {
  readonly title?: string
  /** The folder that it belongs to: the one of the store's environment unless said. */
  readonly cwd?: string
}

/** Appends through one handle in groups: beyond this many at once they are packed together. */
const PACK_FROM = 16

const TYPE = /^[a-z0-9][a-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._-]*$/
/** Makes an empty session and gives its id, a UUID of version 7. */
export async function createSession(repo: Repo, { title, cwd }: NewSession = {}): Promise<string> {
  return repo.write({}, (change) => {
    const id = uuid7(repo.env)
    const now = repo.env.now()
    const meta: Meta = {
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

/** Where entries are appended, and to what. */
export interface AppendTo {
  /** The branch that they continue, wherever the session stands: where it stands unless said. */
  readonly branch?: string
  /** The tip that is expected there, null for none. */
  readonly expected?: Oid | null
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
  { branch, expected }: AppendTo = {},
): Promise<Oid[]> {
  const asked = { entries: entries.map(check), expected, branch }
  const bulk = entries.length >= PACK_FROM
  const writing = { coalesce: `append ${session}`, bulk }
  const key = `${bulk ? 'many' : 'few'} ${session}`
  const listeners = listenersOf(repo)
  const told = { session, branch: branch ?? null }
  if (listeners.hears('before-append'))
    await listeners.permit('before-append', { ...told, entries: asked.entries })
  const oids = await together(repo, key, writing, asked, (change, all) =>
    appendEach(repo, change, session, all),
  )
  if (listeners.hears('append')) await listeners.tell('append', { ...told, oids })
  return oids
}

/** Entries to append, and where whoever asks wants them. */
interface Asked {
  readonly entries: readonly Required<Append>[]
  readonly expected: Oid | null | undefined
  readonly branch: string | undefined
}

/** A place and where it stands once all before was appended there. */
interface Standing {
  readonly place: Place
  tip: Place['tip']
}

/** Appends what was asked for, one request after the other, and gives the oids of each, or why it was refused. */
async function appendEach(
  repo: Repo,
  change: Change,
  session: string,
  all: readonly Asked[],
): Promise<Outcome<Oid[]>[]> {
  const { backend, transaction } = change
  const growth = await Growth.begin(repo, change, session)
  await indexWaiting(backend, transaction)
  const head = ((await backend.ref(headRef(session))) as Head | undefined) ?? ON_MAIN
  const places = new Map<string, Standing | undefined>()
  const outcomes: Outcome<Oid[]>[] = []
  for (const { entries, expected, branch } of all) {
    const name = branch ?? ('branch' in head ? head.branch : '')
    if (!places.has(name)) {
      const place = await placeOf(backend, session, name, head)
      places.set(name, place && { place, tip: place.tip })
    }
    const at = places.get(name)
    if (at === undefined) {
      outcomes.push({ error: new SessError('no-branch', `${session}/${name}`) })
      continue
    }
    const stands = at.tip?.oid ?? null
    if (expected !== undefined && stands !== expected) {
      const detail = `expected ${expected ?? 'no entry'}, found ${stands ?? 'no entry'}`
      outcomes.push({ error: new SessError('conflict', session, { detail }) })
      continue
    }
    const oids: Oid[] = []
    for (const { type, body } of entries) {
      const { oid, row }: Grown = await growth.add({ type, body, parents: at.tip ? [at.tip.row] : [] })
      at.tip = { oid, row }
      oids.push(oid)
    }
    outcomes.push({ value: oids })
  }
  for (const at of places.values())
    if (at?.tip && at.tip !== at.place.tip)
      change.move(at.place.ref, at.place.before, at.place.holds(at.tip.oid))
  growth.end([])
  return outcomes
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
