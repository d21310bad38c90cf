import { short } from '../model/encoding/oid.ts'
import { metaRef, sessionPrefix, sourceLogRef } from '../model/refname.ts'
import { textOf } from '../model/view.ts'
import { findRef } from '../repo/findref.ts'
import { recentSessions } from '../repo/journalcheck.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { allBranches, findTrunk, isSilentSession, type SessionTrunk, trunksFrom } from '../repo/session.ts'
import { operations } from './operations.ts'

/** A name that something in the store has, and what it is in a few words. */
export interface Name {
  readonly name: string
  readonly does: string
}

/** The maximum number of names at once. */
const MAX_NAMES = 60

/** The number of recently changed sessions that are offered. */
const RECENT = 12

/** A session that shares its first characters with more others than these is named by its whole id. */
const ALIKE = 8

/** The minimum number of characters of a session's id, as in lists. */
const LEAST = 8

/**
 * Returns sessions whose ids begin with a prefix, in the order of ids; without a prefix those that were changed last, the
 * newest first. Each is named by the shortest prefix of its id that names it alone, and not less than was given. Costs
 * what it gives, whatever the store holds.
 */
function sessionNames(repo: Repo, prefix: string): Promise<Name[]> {
  return repo.read(async (reader) => {
    if (prefix === '') return recentNames(repo.dir, reader)
    const names: Name[] = []
    const sessions = await sessionsAlike(reader, prefix, MAX_NAMES)
    for (const [i, session] of sessions.slice(0, MAX_NAMES).entries()) {
      if (isSilentSession(session)) continue
      // Only its neighbours in the order of ids can share more.
      const others = [sessions[i - 1], sessions[i + 1]].flatMap((other) => (other ? [other.id] : []))
      const name = aloneAmong(session.id, others)
      names.push({
        name: name.length < prefix.length ? session.id.slice(0, prefix.length) : name,
        does: describe(session),
      })
    }
    return names
  })
}

/** Returns the sessions that were changed last, each by the shortest name among those whose ids begin alike. */
async function recentNames(dir: string, reader: Reader): Promise<Name[]> {
  const names: Name[] = []
  /** By the beginning of an id the ids that have it: those that one agent made in a minute often do. */
  const alike = new Map<string, readonly string[]>()
  for (const id of recentSessions(dir)) {
    const meta = await findRef(reader, metaRef(id))
    const source = await findRef(reader, sourceLogRef(id))
    if (!meta || source?.claim?.silent) continue
    const beginning = id.slice(0, LEAST)
    const ids = alike.get(beginning) ?? (await sessionsAlike(reader, beginning, ALIKE)).map((one) => one.id)
    alike.set(beginning, ids)
    const others = ids.filter((other) => other !== id)
    const name = ids.length > ALIKE ? id : aloneAmong(id, others)
    if (names.push({ name, does: describe({ meta }) }) >= RECENT) break
  }
  return names
}

/** Returns sessions whose ids begin with a prefix, at most one more than a number. */
async function sessionsAlike(reader: Reader, prefix: string, most: number): Promise<SessionTrunk[]> {
  const alike: SessionTrunk[] = []
  for await (const session of trunksFrom(reader, sessionPrefix(prefix).slice(0, -1)))
    if (alike.push(session) > most) break
  return alike
}

/** Returns the shortest prefix of an id, of at least 8 characters, that none of some others has. */
function aloneAmong(id: string, others: readonly string[]): string {
  let length = LEAST
  for (const other of others) while (length < id.length && other.startsWith(id.slice(0, length))) length++
  return id.slice(0, length)
}

async function* recent(dir: string, reader: Reader): AsyncGenerator<SessionTrunk> {
  for (const id of recentSessions(dir)) {
    const session = await findTrunk(reader, id)
    if (session) yield session
  }
}

/** Returns as `key=value` what is set on the session that a text names; without one on those that were changed last. */
function pairNames(repo: Repo, text?: string): Promise<Name[]> {
  return repo.read(async (reader) => {
    const names: Name[] = []
    const one = text === undefined ? undefined : await resolveSession(reader, text)
    for await (const session of one ? [one] : recent(repo.dir, reader))
      for (const [key, value] of Object.entries(session.meta.set ?? {}))
        names.push({ name: `${key}=${value}`, does: describe(session) })
    return names
  })
}

/** Returns the labels of the sessions that were changed last. */
function labelNames(repo: Repo): Promise<Name[]> {
  return repo.read(async (reader) => {
    const names: Name[] = []
    for await (const session of recent(repo.dir, reader))
      for (const name of session.labels.keys()) names.push({ name, does: describe(session) })
    return names
  })
}

/** Returns the newest operations by their numbers. */
async function operationNames(repo: Repo): Promise<Name[]> {
  const names: Name[] = []
  for await (const { number, command } of operations(repo, { limit: MAX_NAMES }))
    names.push({ name: `${number}`, does: command })
  return names
}

/** Returns refs whose full names begin with a prefix, in the order of names. */
async function fullNames(repo: Repo, prefix: string): Promise<Name[]> {
  return repo.read(async (reader) => {
    const names: Name[] = []
    for await (const [name] of reader.refs(prefix)) {
      names.push({ name, does: '' })
      if (names.length >= MAX_NAMES) break
    }
    return names
  })
}

const describe = ({ meta }: Pick<SessionTrunk, 'meta'>): string => meta.title ?? `a session of ${meta.format}`

/** Returns the branches and labels of the session that a text names. */
function refNames(repo: Repo, text: string): Promise<Record<'branches' | 'labels', Name[]>> {
  return repo.read(async (reader) => {
    const session = await resolveSession(reader, text)
    const list = (refs: SessionTrunk['labels'], what: string): Name[] =>
      [...refs].map(([name, oid]) => ({ name, does: `${what} at ${short(oid)}` }))
    return {
      branches: list(await allBranches(reader, session), 'branch'),
      labels: list(session.labels, 'label'),
    }
  })
}

/** Returns the entries whose oids begin with four or more hex digits. */
function entryNames(repo: Repo, prefix: string): Promise<Name[]> {
  return repo.read(async (reader) => {
    const { viewOf } = await import('../formats/registry.ts')
    const names: Name[] = []
    for (const oid of await reader.findByPrefix(prefix, MAX_NAMES)) {
      const handle = await reader.find(oid)
      if (handle === undefined) continue
      const { type } = await reader.node(handle)
      const text = textOf(viewOf(type, await reader.body(handle)))
      names.push({ name: oid.slice(0, Math.max(12, prefix.length)), does: text ?? type })
    }
    return names
  })
}

/** The kinds of names that a store has. */
export const NAME_KINDS = [
  'session',
  'revision',
  'branch',
  'label',
  'labels',
  'pair',
  'pairs',
  'key',
  'operation',
  'ref',
] as const

/**
 * Returns names of a kind: of branches, labels and properties those of a session, the current one by default; `labels`
 * and `pairs` are those of the sessions that were changed last. Only sessions, refs and entries are chosen by the prefix,
 * because there may be many of them. Throws as `resolveSession`.
 */
export async function namesOf(
  repo: Repo,
  kind: (typeof NAME_KINDS)[number],
  prefix: string,
  session = '@',
): Promise<readonly Name[]> {
  switch (kind) {
    case 'operation':
      return operationNames(repo)
    case 'ref':
      return fullNames(repo, prefix)
    case 'labels':
      return distinct(await labelNames(repo))
    case 'pairs':
      return distinct(await pairNames(repo))
    case 'pair':
      return pairNames(repo, session)
    case 'key':
      return (await pairNames(repo, session)).map(({ name }) => {
        const [key = '', ...value] = name.split('=')
        return { name: key, does: value.join('=') }
      })
    case 'branch':
      return (await refNames(repo, session)).branches
    case 'label':
      return (await refNames(repo, session)).labels
    case 'session':
      return [CURRENT, ...(await sessionNames(repo, prefix))]
    case 'revision':
      return revisionNames(repo, prefix)
  }
}

const CURRENT: Name = { name: '@', does: 'the current session' }

/** Returns sessions and entries with a prefix; after a session and `/` its branches and labels; each as a part of a range. */
async function revisionNames(repo: Repo, typed: string): Promise<Name[]> {
  const before = /^(?:.*\.\.\.?|\^)/s.exec(typed)?.[0] ?? ''
  const names = await revisionsFrom(repo, typed.slice(before.length))
  return names.map(({ name, does }) => ({ name: before + name, does }))
}

async function revisionsFrom(repo: Repo, word: string): Promise<Name[]> {
  const slash = word.indexOf('/')
  if (slash > 0) {
    const owner = word.slice(0, slash)
    const { branches, labels } = await refNames(repo, owner)
    return [...branches, ...labels].map(({ name, does }) => ({ name: `${owner}/${name}`, does }))
  }
  const sessions = [CURRENT, ...(await sessionNames(repo, word))]
  return /^[0-9a-f]{4,64}$/.test(word) ? [...sessions, ...(await entryNames(repo, word))] : sessions
}

/** Returns each name once, with its first description. */
const distinct = (names: readonly Name[]): Name[] =>
  names.filter(({ name }, i) => names.findIndex((other) => other.name === name) === i)
