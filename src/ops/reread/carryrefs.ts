import type { Format } from '../../formats/core/format.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import { branchRef, graftRef, headRef, labelRef, metaRef, sourceLogRef } from '../../model/refname.ts'
import { graftsIn, graftValue } from '../../repo/grafts.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { allSessions, headValue, refValue, type Session, type SourceHead } from '../../repo/session.ts'
import { aboutSource, moveLabels, subagentsIn, writeMeta } from '../import/moverefs.ts'
import { sourceHead } from '../import/sourcehead.ts'
import { Carry } from './carry.ts'
import { carryExports } from './carryexports.ts'
import type { Rereading } from './parseagain.ts'

/** A session whose source was read again. */
interface Again {
  readonly session: Session
  readonly source: SourceHead
  readonly format: Format
  readonly rereading: Rereading
}

/** Moves all refs that the reading of a source before this one is behind to what stands for it now. */
export async function moveRefs(repo: Repo, change: Change, again: Again): Promise<void> {
  const { session, source, format, rereading } = again
  const { id, meta } = session
  const { reader, move } = change
  const { ingester, target, digest } = rereading
  // What nothing stands for stays what it was.
  const now = new Map(
    [...rereading.map].flatMap(([before, after]) => (after === undefined ? [] : [[before, after] as const])),
  )
  const carry = new Carry(repo, change, session, now)
  const before: { [name: string]: Oid } = {}
  for (const [name, oid] of Object.entries(source.branches)) before[name] = await carry.oid(oid)
  const read = { ingester, target, reading: format.reading, digest, before }
  const { packed, bundled } = source
  const head: SourceHead = {
    ...(await sourceHead(change, read)),
    ...(packed && { packed }),
    ...(bundled && { bundled }),
  }
  change.cover(id, { entries: ingester.sourceEntries.entries })
  move(sourceLogRef(id), refValue(source), refValue(head))
  writeMeta(change, {
    id,
    known: session,
    meta: {
      ...aboutSource(ingester.facts, session),
      ...(await subagentsIn(reader, ingester)),
      format: format.name,
      created: ingester.facts.created ?? meta.created,
      ...(ingester.sourceEntries.prompt !== undefined && { prompt: ingester.sourceEntries.prompt }),
    },
    native: meta.native ?? id,
    path: meta.path ?? '',
  })
  for (const name of new Set([...Object.keys(head.branches), ...session.branches.keys()])) {
    const at = session.branches.get(name)
    const next = head.branches[name]
    const isImports = at === source.branches[name]
    const stands = 'branch' in session.head && session.head.branch === name
    if (isImports && (next !== undefined || !stands)) moveUnlessSame(change, branchRef(id, name), at, next)
    else if (at !== undefined) moveUnlessSame(change, branchRef(id, name), at, await carry.oid(at))
  }
  await carryNames(change, session, carry, false)
  await carryExports(change, session, carry)
  await moveLabels(change, { id, known: session, labels: ingester.labels })
  carry.end([{ entries: ingester.sourceEntries.entries }])
  await carryForks(repo, change, again, now)
  await carryGrafts(change, id, now)
}

function moveUnlessSame(
  { move }: Change,
  name: ReturnType<typeof branchRef>,
  at: Oid | undefined,
  next: Oid | undefined,
): void {
  if (at !== next) move(name, at, next)
}

/** Carries the labels of a session, where it stands detached, and with `branches` these too. */
async function carryNames(change: Change, session: Session, carry: Carry, branches: boolean): Promise<void> {
  const { id, head, labels } = session
  for (const [label, oid] of labels) moveUnlessSame(change, labelRef(id, label), oid, await carry.oid(oid))
  for (const [name, oid] of branches ? session.branches : [])
    moveUnlessSame(change, branchRef(id, name), oid, await carry.oid(oid))
  if (!('oid' in head) || head.oid === null) return
  const oid = await carry.oid(head.oid)
  if (oid !== head.oid) change.move(headRef(id), headValue(session), refValue({ oid }))
}

/** Carries the forks over that share what the source said: their bases name its new log. */
async function carryForks(
  repo: Repo,
  change: Change,
  { source, rereading }: Again,
  now: ReadonlyMap<EntryHandle, EntryHandle>,
): Promise<void> {
  for await (const session of allSessions(change.reader)) {
    const { id, meta } = session
    const { fork } = meta
    if (!fork?.base.some(([log]) => log === source.log)) continue
    const base = fork.base.map(([log, count]) =>
      log === source.log
        ? ([rereading.target.log, rereading.countFor(count)] as const)
        : ([log, count] as const),
    )
    change.move(metaRef(id), refValue(meta), refValue({ ...meta, fork: { ...fork, base } }))
    const carry = new Carry(repo, change, session, now)
    await carryNames(change, session, carry, true)
    await carryExports(change, session, carry)
    carry.end()
  }
}

/** Carries grafts over: of the session's roots, and to its entries. */
async function carryGrafts(
  { reader, move }: Change,
  session: string,
  now: ReadonlyMap<EntryHandle, EntryHandle>,
): Promise<void> {
  for await (const graft of graftsIn(reader)) {
    const parent = await standsFor(reader, graft.parent, now)
    const root = graft.session === session ? await standsFor(reader, graft.root, now) : graft.root
    if (parent === graft.parent && root === graft.root) continue
    const handle = await reader.find(root)
    const isRoot = handle !== undefined && (await reader.node(handle)).parents.length === 0
    const next = isRoot ? graftValue({ ...graft, root, parent }) : undefined
    move(graftRef(graft.root), graftValue(graft), root === graft.root ? next : undefined)
    if (root !== graft.root && next !== undefined)
      move(graftRef(root), await reader.ref(graftRef(root)), next)
  }
}

async function standsFor(reader: Reader, oid: Oid, now: ReadonlyMap<EntryHandle, EntryHandle>): Promise<Oid> {
  const handle = await reader.find(oid)
  const next = handle === undefined ? undefined : now.get(handle)
  return next === undefined ? oid : reader.oid(next)
}
