import type { Loss } from '../../formats/core/losses.ts'
import { inOrder } from '../../graph/order.ts'
import { path, reachable } from '../../graph/walk.ts'
import { collected } from '../../model/async.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { EntrySet } from '../../model/entryset.ts'
import { hasCode, SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import { lookIn, type Reader } from '../../repo/reader.ts'
import { resolve, resolveSession } from '../../repo/revision.ts'
import { allBranches, branchTip, MAIN, type SessionTrunk, tipOf } from '../../repo/session.ts'
import { tipsOf } from '../entries.ts'

/** Selects a part of a session. */
export interface ExportChoice {
  /** A branch or a label: the path to it. */
  readonly branch?: string
  /** A revision: its entry with all descendants and the path to it. */
  readonly below?: string
  /** Leave out the path to the entry of `below`. */
  readonly bare?: boolean
}

/** A part of a session. */
export interface SessionPart {
  /** Undefined where a revision names an entry and no session. */
  readonly session?: SessionTrunk
  /** In ascending order: parents before children. */
  readonly handles: readonly EntryHandle[]
  /** The entry at which it ends. */
  readonly tip?: EntryHandle
  readonly branches: ReadonlyMap<string, Oid>
  /** The losses of the choice. */
  readonly losses: readonly Loss[]
}

/** A session or an entry that a text names. */
export interface SessionOrEntry {
  readonly session?: SessionTrunk
  /** Undefined where the text names the session itself. */
  readonly handle?: EntryHandle
}

/**
 * Returns the selected part of a session, or the path of a revision. With `onePath` and no further choice it is the path to
 * the session's HEAD. Throws `no-session`, `no-branch`, `no-entry`, or as `resolve`.
 */
export async function partOf(
  reader: Reader,
  text: string,
  { branch, below, bare = false, onePath }: ExportChoice & { readonly onePath: boolean },
): Promise<SessionPart> {
  const { session, handle } = await resolveSessionOrEntry(reader, text)
  if (below !== undefined) {
    const { handle: top } = await resolve(reader, below)
    return subtree(reader, session, { top, bare, onePath, below })
  }
  if (handle !== undefined) return onPath(reader, session, { tip: handle })
  const found = session as SessionTrunk
  const standing = branch === undefined ? tipOf(found) : await oidNamed(reader, found, branch)
  const tip = standing && (await reader.find(standing))
  if (branch !== undefined || onePath)
    return tip === undefined
      ? { session: found, handles: [], branches: new Map(), losses: [] }
      : onPath(reader, found, { tip, reports: branch === undefined ? () => true : undefined })
  const handles = await allOf(reader, found)
  const branches = await allBranches(reader, found)
  return { session: found, handles, ...defined({ tip }), branches, losses: [] }
}

/** Returns the session or entry that a text names; the session if it can name one. Throws `no-session`, or as `resolve`. */
export async function resolveSessionOrEntry(reader: Reader, text: string): Promise<SessionOrEntry> {
  try {
    return { session: await resolveSession(reader, text) }
  } catch (error) {
    if (!hasCode(error, 'no-session')) throw error
    return resolve(reader, text).catch((other: unknown) => {
      throw hasCode(other, 'no-revision') ? error : other
    })
  }
}

async function oidNamed(reader: Reader, session: SessionTrunk, name: string): Promise<Oid> {
  const oid = (await branchTip(reader, session, name)) ?? session.labels.get(name)
  if (oid === undefined) throw new SessError('no-branch', `${session.id}/${name}`)
  return oid
}

async function allOf(reader: Reader, session: SessionTrunk): Promise<EntryHandle[]> {
  return ascending(reader, await reachable(await tipsOf(reader, session), lookIn(reader)))
}

const ascending = (reader: Reader, handles: Iterable<EntryHandle>): Promise<EntryHandle[]> =>
  inOrder(handles, lookIn(reader))

interface WantedPath {
  readonly tip: EntryHandle
  /** The entry at which it begins; the root by default. */
  readonly top?: EntryHandle | undefined
  /** Which branches that are not on the path are reported as losses. */
  readonly reports?: ((tip: EntryHandle) => boolean) | undefined
}

async function onPath(
  reader: Reader,
  session: SessionTrunk | undefined,
  wanted: WantedPath,
): Promise<SessionPart> {
  const { tip, top, reports = () => false } = wanted
  const handles: EntryHandle[] = []
  const losses: Loss[] = []
  for await (const handle of path(tip, lookIn(reader))) {
    handles.push(handle)
    const { parents } = await reader.node(handle)
    if (parents.length > 1) losses.push({ code: 'merge', oid: await reader.oid(handle) })
    if (handle === top) break
  }
  const { branches, others } = await branchesIn(reader, session, handles)
  const left = others.flatMap(([subject, oid, handle]): Loss[] =>
    reports(handle) ? [{ code: 'branch', oid, subject }] : [],
  )
  return {
    ...(session && { session }),
    handles: handles.reverse(),
    tip,
    branches,
    losses: [...losses.reverse(), ...left],
  }
}

interface Subtree {
  readonly below: string
  readonly top: EntryHandle
  readonly bare: boolean
  readonly onePath: boolean
}

/** Returns an entry with all its descendants in a session or, as one path, those up to the session's HEAD. */
async function subtree(
  reader: Reader,
  session: SessionTrunk | undefined,
  { below, top, bare, onePath }: Subtree,
): Promise<SessionPart> {
  const under = new Set<EntryHandle>([top])
  const all = session ? await allOf(reader, session) : []
  if (session && !all.includes(top))
    throw new SessError('no-entry', below, { detail: `not in '${session.id}'` })
  for (const handle of all)
    if ((await reader.node(handle)).parents.some((parent) => under.has(parent))) under.add(handle)
  const tip = await tipWithin(reader, session, under)
  if (onePath)
    return onPath(reader, session, {
      tip,
      top: bare ? top : undefined,
      reports: (handle) => under.has(handle),
    })
  const above = bare ? [] : await collected(path(top, lookIn(reader)))
  const handles = await ascending(reader, new Set([...above, ...under]))
  const { branches } = await branchesIn(reader, session, handles)
  return { ...(session && { session }), handles, tip, branches, losses: [] }
}

/** Returns the entry of HEAD if it is one of some entries, else that of the main branch, else the newest of them. */
async function tipWithin(
  reader: Reader,
  session: SessionTrunk | undefined,
  handles: ReadonlySet<EntryHandle>,
): Promise<EntryHandle> {
  for (const oid of session ? [tipOf(session), session.someBranches.get(MAIN)] : []) {
    const handle = oid === undefined ? undefined : await reader.find(oid)
    if (handle !== undefined && handles.has(handle)) return handle
  }
  return (await ascending(reader, handles)).at(-1) as EntryHandle
}

/** Returns the branches of a session whose tips are among some entries, and the other branches with their tips. */
async function branchesIn(
  reader: Reader,
  session: SessionTrunk | undefined,
  handles: readonly EntryHandle[],
): Promise<{ branches: Map<string, Oid>; others: (readonly [string, Oid, EntryHandle])[] }> {
  const held = new EntrySet()
  for (const handle of handles) held.add(handle)
  const branches = new Map<string, Oid>()
  const others: (readonly [string, Oid, EntryHandle])[] = []
  const all = session ? await allBranches(reader, session) : new Map<string, Oid>()
  const tips = await reader.findMany(all.values())
  for (const [name, oid] of all) {
    const handle = tips.get(oid)
    if (handle === undefined) continue
    if (held.has(handle)) branches.set(name, oid)
    else others.push([name, oid, handle])
  }
  return { branches, others }
}
