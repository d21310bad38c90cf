import { isAncestor } from '../graph/walk.ts'
import { type Oid, short } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import { checkName, labelRef } from '../model/refname.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { noTipError, resolve, resolveSession, unlessNone } from '../repo/revision.ts'
import { allBranches, allTrunks, branchTip, type SessionTrunk, tipOf } from '../repo/session.ts'
import { checkNoBranch } from './branch.ts'
import { type LogEntry, logEntry } from './entries.ts'
import { noSessionNamed } from './revisionrange.ts'

/** A label of a session, and the entry that it names. */
export interface Label {
  readonly session: string
  readonly name: string
  readonly oid: Oid
}

/** A label that was set, and its former entry. */
export interface Labelled extends Label {
  readonly before: Oid | null
}

/** A label with its entry. */
export interface ListedLabel extends Label {
  readonly entry: LogEntry
}

/** Options of setting a label. */
export interface LabelOptions {
  /** The session of the label: by default the one that the revision names. */
  readonly session?: string
  /** Move the label if it exists. */
  readonly force?: boolean
}

/**
 * Sets a label of a session on the entry of a revision, by default on the session's tip. The session is the named one, else
 * the one that the revision names, else `@`, if it reaches the entry. Throws `exists` if the name is taken, also by a branch,
 * `bad-name`, and as `resolve`.
 */
export async function setLabel(
  repo: Repo,
  name: string,
  revision?: string,
  { session, force = false }: LabelOptions = {},
): Promise<Labelled> {
  return repo.write({}, async ({ reader, move }) => {
    checkName(name)
    const own = session === undefined ? undefined : await resolveSession(reader, session)
    const at = own && revision === undefined ? undefined : await resolve(reader, revision ?? '@')
    const owner = own ?? at?.session ?? (at && (await sessionHere(reader, at.handle)))
    if (!owner)
      throw noSessionNamed(`${revision}`, {
        remedy: { kind: 'name-session-of-label', label: name, revision: `${revision}` },
      })
    const oid = at ? at.oid : tipOf(owner)
    if (oid === undefined) throw noTipError(owner.id, owner)
    const taken = `${owner.id}/${name}`
    if ((await branchTip(reader, owner, name)) !== undefined)
      throw new SessError('exists', taken, { detail: 'it is a branch' })
    const before = owner.labels.get(name)
    if (before !== undefined && before !== oid && !force)
      throw new SessError('exists', taken, {
        detail: `it names ${short(before)}`,
        remedy: { kind: 'replace-label' },
      })
    if (before !== oid) move(labelRef(owner.id, name), before, oid)
    return { session: owner.id, name, oid, before: before ?? null }
  })
}

/** Returns the current session of a folder if one of its branches reaches an entry. */
async function sessionHere(reader: Reader, handle: EntryHandle): Promise<SessionTrunk | undefined> {
  const session = await unlessNone(resolveSession(reader, '@'))
  for (const oid of session ? (await allBranches(reader, session)).values() : [])
    if (await isAncestor(handle, await handleOf(reader, oid), lookIn(reader))) return session
  return undefined
}

/** Throws `bad-name`, or `exists` if a session has a label or a branch with a name. */
export async function checkFree(reader: Reader, session: SessionTrunk, name: string): Promise<void> {
  checkName(name)
  if (session.labels.has(name)) throw new SessError('exists', `${session.id}/${name}`)
  await checkNoBranch(reader, session, name)
}

/** Removes a label of a session, `@` by default, and returns it. Its entry stays. Throws `no-label`. */
export async function removeLabel(repo: Repo, name: string, session = '@'): Promise<Label> {
  return repo.write({}, async ({ reader, move }) => {
    const { id, labels } = await resolveSession(reader, session)
    const oid = labels.get(name)
    if (oid === undefined) throw new SessError('no-label', `${id}/${name}`)
    move(labelRef(id, name), oid, undefined)
    return { session: id, name, oid }
  })
}

/**
 * Returns the labels of a session, or of all sessions, in the order of their names. With `find` only those whose name or
 * entry contains a text; case does not matter.
 */
export async function listLabels(repo: Repo, session?: string, find = ''): Promise<ListedLabel[]> {
  const sought = find.toLowerCase()
  const isFound = ({ name, entry }: ListedLabel): boolean =>
    name.toLowerCase().includes(sought) || (entry.text?.toLowerCase().includes(sought) ?? false)
  return repo.read(async (reader) => {
    const one = session === undefined ? undefined : await resolveSession(reader, session)
    const labels: ListedLabel[] = []
    for await (const found of one ? [one] : allTrunks(reader))
      labels.push(...(await labelsOf(reader, found)).filter(isFound))
    return labels
  })
}

async function labelsOf(reader: Reader, session: SessionTrunk): Promise<ListedLabel[]> {
  const labels: ListedLabel[] = []
  for (const [name, oid] of [...session.labels].sort(([a], [b]) => (a < b ? -1 : 1)))
    labels.push({
      session: session.id,
      name,
      oid,
      entry: await logEntry(reader, await handleOf(reader, oid), session, undefined),
    })
  return labels
}

/** Returns the labels of a session whose entries an entry reaches. */
export async function labelsOnPath(
  reader: Reader,
  { labels }: SessionTrunk,
  tip: EntryHandle,
): Promise<[string, Oid][]> {
  const found: [string, Oid][] = []
  for (const [name, oid] of labels)
    if (await isAncestor(await handleOf(reader, oid), tip, lookIn(reader))) found.push([name, oid])
  return found
}

async function handleOf(reader: Reader, oid: Oid): Promise<EntryHandle> {
  const handle = await reader.find(oid)
  if (handle === undefined)
    throw new SessError('corrupt', `the entry ${oid} that a branch or label names is missing`)
  return handle
}
