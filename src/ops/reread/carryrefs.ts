import type { Format } from '../../formats/core/format.ts'
import { inOrder } from '../../graph/order.ts'
import { collected } from '../../model/async.ts'
import { joined } from '../../model/bytes.ts'
import { mapLinks } from '../../model/encoding/entry.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { defined } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { LogId } from '../../model/record.ts'
import {
  branchRef,
  exportRef,
  graftRef,
  headRef,
  labelRef,
  leafRef,
  metaRef,
  sourceLogRef,
} from '../../model/refname.ts'
import type { Coverage } from '../../model/search/searchindex.ts'
import { findRef } from '../../repo/findref.ts'
import { graftsIn, graftValue } from '../../repo/grafts.ts'
import { importedBranches, withNumberedApart } from '../../repo/importedbranches.ts'
import { lookIn, type Reader } from '../../repo/reader.ts'
import { bytesOfRecord, type RecordLocation, readHeaders, readRecords, valueAt } from '../../repo/records.ts'
import type { Change } from '../../repo/repo.ts'
import {
  allSessions,
  type ExportHead,
  headValue,
  nativeLogs,
  refValue,
  type SessionMeta,
  type SessionState,
  type SourceHead,
  type SourceOrigin,
} from '../../repo/session.ts'
import { NativeLog } from '../append/nativelog.ts'
import { storedClaim } from '../import/conversations.ts'
import { NO_HASH, nextHash } from '../import/logtarget.ts'
import { indexOutputs, noteOutputs, OutputSearch } from '../import/outputs.ts'
import { aboutStored, moveLabels, sourceHead, writeMeta } from '../import/sessionrefs.ts'
import { subagentsIn } from '../import/subagents.ts'
import type { Rereading } from './parseagain.ts'

/** A session whose source was read again. */
export interface RereadSession {
  readonly session: SessionState
  readonly source: SourceHead
  readonly format: Format
  readonly rereading: Rereading
  /** Where the source begins now. */
  readonly origin?: SourceOrigin
  /** The part that it shares with the session that it stands on. */
  readonly fork?: Fork
}

type Fork = NonNullable<SessionMeta['fork']>

/** The replacements of entries, as far as they have one. */
export type Replacements = Map<EntryHandle, EntryHandle>

/** Moves the refs of a session to the entries that replace those of the former reading, which it adds to the replacements. */
export async function moveRefs(
  change: Change,
  again: RereadSession,
  replacements: Replacements,
): Promise<void> {
  const { session, source, format, rereading, origin, fork } = again
  const { id, meta } = session
  const { reader, move } = change
  const { ingester, target, digest } = rereading
  // Entries without a replacement are kept.
  for (const [before, after] of rereading.map) if (after !== undefined) replacements.set(before, after)
  const successors = new Successors(change, session, replacements)
  const before: { [name: string]: Oid } = {}
  const imported = await importedBranches(reader, source)
  for (const [name, oid] of Object.entries(imported)) before[name] = await successors.oid(oid)
  const agents: { [agent: string]: Oid } = {}
  for (const [agent, oid] of Object.entries(meta.agents ?? {})) agents[agent] = await successors.oid(oid)
  const read = { ingester, target, reading: format.reading, digest, start: source.start, origin, before }
  const { packed, bundled } = source
  const head: SourceHead = {
    ...(await sourceHead(change, read)),
    ...(packed && { packed }),
    ...(bundled && { bundled }),
    ...storedClaim(format, ingester, origin !== undefined),
  }
  change.cover(id, { entries: ingester.sourceEntries.entries })
  move(sourceLogRef(id), refValue(source), refValue(withNumberedApart(change.writer, head)))
  writeMeta(change, {
    id,
    known: session,
    meta: {
      ...aboutStored(ingester.facts, session),
      ...(await subagentsIn(reader, ingester, { ...meta, agents })),
      format: format.name,
      created: ingester.facts.created ?? meta.created,
      ...defined({ prompt: ingester.sourceEntries.prompt, page: ingester.facts.page, fork }),
    },
    native: meta.native ?? id,
    path: meta.path ?? '',
  })
  for (const name of new Set([...Object.keys(head.branches), ...session.branches.keys()])) {
    const at = session.branches.get(name)
    const next = head.branches[name]
    const isImports = at === imported[name]
    const stands = 'branch' in session.head && session.head.branch === name
    if (isImports && (next !== undefined || !stands)) moveUnlessSame(change, branchRef(id, name), at, next)
    else if (at !== undefined) moveUnlessSame(change, branchRef(id, name), at, await successors.oid(at))
  }
  await moveNames(change, session, successors, false)
  await moveExports(change, session, successors)
  await moveLabels(change, { id, known: session, labels: ingester.labels })
  await noteOutputsAgain(change, again)
  successors.end([{ entries: ingester.sourceEntries.entries }])
}

/** Carries over what refers to sessions that were read again: forks that share their records, and grafts. */
export async function moveReferences(
  change: Change,
  again: readonly RereadSession[],
  replacements: Replacements,
): Promise<void> {
  await moveForks(change, again, replacements)
  await moveGrafts(change, new Set(again.map(({ session }) => session.id)), replacements)
}

/** Notes which files hold the whole results of the new entries. */
async function noteOutputsAgain(change: Change, { session, rereading }: RereadSession): Promise<void> {
  const { facts, entries } = rereading.ingester
  if (!facts.outputs) return
  const search = new OutputSearch()
  await noteOutputs(
    change,
    { session: session.id, places: facts.outputs, entries },
    { search, claimed: new Set() },
  )
  await indexOutputs(change, search)
}

function moveUnlessSame(
  { move }: Change,
  name: ReturnType<typeof branchRef>,
  at: Oid | undefined,
  next: Oid | undefined,
): void {
  if (at !== next) move(name, at, next)
}

/** Moves the labels of a session, its detached HEAD, and with `branches` its branches. */
async function moveNames(
  change: Change,
  session: SessionState,
  successors: Successors,
  branches: boolean,
): Promise<void> {
  const { id, head, labels } = session
  for (const [label, oid] of labels)
    moveUnlessSame(change, labelRef(id, label), oid, await successors.oid(oid))
  for (const [name, oid] of branches ? session.branches : [])
    moveUnlessSame(change, branchRef(id, name), oid, await successors.oid(oid))
  if (!('oid' in head) || head.oid === null) return
  const oid = await successors.oid(head.oid)
  if (oid !== head.oid) change.move(headRef(id), headValue(session), refValue({ oid }))
}

/** Carries over the forks that share records of sources: their bases name the new logs. */
async function moveForks(
  change: Change,
  again: readonly RereadSession[],
  replacements: Replacements,
): Promise<void> {
  const byLog = new Map(again.map((one) => [one.source.log, one]))
  for await (const session of allSessions(change.reader)) {
    const { id, meta, source } = session
    const { fork } = meta
    // A source that stands on such a session is read again itself.
    if (!fork?.base.some(([log]) => byLog.has(log)) || source?.origin) continue
    change.move(metaRef(id), refValue(meta), refValue({ ...meta, fork: sharedAgain(fork, byLog) }))
    const successors = new Successors(change, session, replacements)
    await moveNames(change, session, successors, true)
    await moveExports(change, session, successors)
    successors.end()
  }
}

/** Returns what a fork shares, with the new logs, and those of the history on which the sources stand now. */
function sharedAgain(fork: Fork, byLog: ReadonlyMap<LogId, RereadSession>): Fork {
  const counts = new Map<LogId, number>()
  let { entries } = fork
  for (const [log, count] of fork.base) {
    const again = byLog.get(log)
    if (!again) {
      counts.set(log, counts.get(log) ?? count)
      continue
    }
    counts.set(again.rereading.target.log, again.rereading.countFor(count))
    for (const [above, shared] of again.fork?.base ?? []) counts.set(above, counts.get(above) ?? shared)
    entries += (again.fork?.entries ?? 0) - (again.session.meta.fork?.entries ?? 0)
  }
  return { ...fork, base: [...counts], entries }
}

/** Carries grafts over: of the session's roots, and to its entries. */
async function moveGrafts(
  { reader, move }: Change,
  sessions: ReadonlySet<string>,
  now: ReadonlyMap<EntryHandle, EntryHandle>,
): Promise<void> {
  for await (const graft of graftsIn(reader)) {
    const parent = await replacementOf(reader, graft.parent, now)
    const root = sessions.has(graft.session) ? await replacementOf(reader, graft.root, now) : graft.root
    if (parent === graft.parent && root === graft.root) continue
    const handle = await reader.find(root)
    const isRoot = handle !== undefined && (await reader.node(handle)).parents.length === 0
    const next = isRoot ? graftValue({ ...graft, root, parent }) : undefined
    move(graftRef(graft.root), graftValue(graft), root === graft.root ? next : undefined)
    if (root !== graft.root && next !== undefined)
      move(graftRef(root), await reader.ref(graftRef(root)), next)
  }
}

async function replacementOf(
  reader: Reader,
  oid: Oid,
  now: ReadonlyMap<EntryHandle, EntryHandle>,
): Promise<Oid> {
  const handle = await reader.find(oid)
  const next = handle === undefined ? undefined : now.get(handle)
  return next === undefined ? oid : reader.oid(next)
}

/**
 * Moves the exports of a session, so that later imports of the exported files continue the new entries: gives them logs
 * with the same records for the new entries. Moves the stored leaf of the session's agent too.
 */
async function moveExports(change: Change, session: SessionState, successors: Successors): Promise<void> {
  const { reader, move } = change
  const { id } = session
  for (const [native, head] of session.exports) {
    const branches: { [name: string]: Oid } = {}
    const exported = await importedBranches(reader, head)
    for (const [name, oid] of Object.entries(exported)) branches[name] = await successors.oid(oid)
    const tip = await successors.oid(head.tip)
    const isSame = Object.entries(branches).every(([name, oid]) => exported[name] === oid)
    if (isSame && tip === head.tip) continue
    const after = { ...head, ...(await logsAgain(change, head, successors)), branches, tip }
    move(exportRef(id, native), refValue(head), refValue(withNumberedApart(change.writer, after)))
  }
  const leaf = await findRef(reader, leafRef(id))
  if (!leaf?.tip) return
  const tip = await successors.oid(leaf.tip)
  if (tip !== leaf.tip) move(leafRef(id), leaf, { ...leaf, tip })
}

async function logsAgain(
  { reader, writer }: Change,
  head: ExportHead,
  successors: Successors,
): Promise<Pick<ExportHead, 'written' | 'log' | 'hash'>> {
  const now = new Map<EntryHandle, EntryHandle>()
  const replaced = async (handle: EntryHandle | undefined): Promise<EntryHandle | undefined> => {
    if (handle === undefined) return undefined
    const known = now.get(handle) ?? (await successors.handle(handle))
    now.set(handle, known)
    return known
  }
  let hash = NO_HASH
  const again = async (log: LogId, count: number): Promise<LogId> => {
    const next = writer.newLog()
    for await (const [position, record] of readRecords(reader, log, 0, count)) {
      const chunks = await collected(bytesOfRecord(reader, record))
      const entry = await replaced(record.entry)
      hash = nextHash(hash, entry === undefined ? null : await reader.oid(entry), record, joined(chunks))
      const tip = await replaced(record.tip)
      writer.appendRecord(next, position, { ...record, entry, tip, lead: NOTHING, content: { raw: chunks } })
    }
    return next
  }
  const [log, count] = head.written
  const written = [await again(log, count), count] as const
  return { written, log: await again(head.log, head.count), hash }
}

const NOTHING = new Uint8Array(0)

/**
 * Returns the entries that replace those of a former reading. Entries that were appended here after replaced ones are
 * appended again after their replacements, with equal records.
 */
class Successors {
  readonly #change: Change
  readonly #session: SessionState
  /** The replacement of each entry. */
  readonly #now: Map<EntryHandle, EntryHandle>
  #nativeLog: NativeLog | undefined
  #records: ReadonlyMap<EntryHandle, RecordLocation> | undefined

  constructor(change: Change, session: SessionState, now: Replacements) {
    this.#change = change
    this.#session = session
    this.#now = new Map(now)
  }

  /** Returns the oid of an entry's replacement: its own if nothing on its path changed. */
  async oid(oid: Oid): Promise<Oid> {
    const { reader } = this.#change
    const handle = await reader.find(oid)
    if (handle === undefined) return oid
    const now = await this.handle(handle)
    return now === handle ? oid : reader.oid(now)
  }

  /** Returns the replacement of an entry. */
  async handle(handle: EntryHandle): Promise<EntryHandle> {
    for (const one of await this.#unknownAncestors(handle)) this.#now.set(one, await this.#appendAgain(one))
    return this.#now.get(handle) ?? handle
  }

  /** Ends, once all is carried; `covered` as `Growth.end` takes it. */
  end(covered?: readonly Coverage[]): void {
    this.#nativeLog?.end(covered)
  }

  /** Returns an entry and its ancestors without a known replacement, if any of their ancestors was replaced. */
  async #unknownAncestors(handle: EntryHandle): Promise<EntryHandle[]> {
    const { reader } = this.#change
    const found = new Set<EntryHandle>()
    const open = [handle]
    let changed = false
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const now = this.#now.get(at)
      if (now !== undefined) changed ||= now !== at
      else if (!found.has(at)) {
        found.add(at)
        open.push(...(await reader.node(at)).parents)
      }
    }
    return changed ? inOrder(found, lookIn(reader)) : []
  }

  /** Appends an entry again after the replacements of its parents. Returns the entry itself if these are its own. */
  async #appendAgain(handle: EntryHandle): Promise<EntryHandle> {
    const { reader } = this.#change
    const { type, parents, links } = await reader.node(handle)
    const to = (one: EntryHandle): EntryHandle => this.#now.get(one) ?? one
    if (parents.every((parent) => to(parent) === parent)) return handle
    this.#nativeLog ??= await NativeLog.begin(this.#change, this.#session.id)
    this.#records ??= await recordsOf(reader, this.#session)
    const found = this.#records.get(handle)
    const value = found && (await valueAt(reader, found))
    const grown = await this.#nativeLog.add({
      type,
      body: await reader.body(handle),
      parents: parents.map(to),
      links: await mapLinks(links, to),
      ...defined({ time: found?.time, native: found?.native, value }),
      again: true,
    })
    return grown.handle
  }
}

/** Returns by entry the record that the logs of what was added to a session have of it. */
async function recordsOf(
  reader: Reader,
  { natives, exports }: SessionState,
): Promise<ReadonlyMap<EntryHandle, RecordLocation>> {
  const found = new Map<EntryHandle, RecordLocation>()
  const added = [...exports.values()].map(({ log, count }) => [log, count] as const)
  for (const [log, count] of [...added, ...[...natives.values()].flatMap(nativeLogs)])
    for await (const [position, { entry, time, native: id }] of readHeaders(reader, log, 0, count))
      if (entry !== undefined) found.set(entry, { log, position, ...defined({ time, native: id }) })
  return found
}
