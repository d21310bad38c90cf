import { digestOf } from '../model/encoding/entry.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { type GitState, gitState } from '../model/gitfacts.ts'
import type { Json } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import { type Role, roleOf, type View } from '../model/view.ts'
import { isExpunged } from '../repo/expunge/expungefilter.ts'
import { tombstonesOf } from '../repo/expunge/tombstones.ts'
import type { Reader } from '../repo/reader.ts'
import { valueAt } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve, resolveSession } from '../repo/revision.ts'
import { isWhole, type SessionTrunk } from '../repo/session.ts'
import { namesOf } from './branch.ts'
import { type LogEntry, logEntry, PathRecords, viewAt } from './entries.ts'
import { withBlobs } from './images.ts'
import { type Output, Outputs, withOutputs } from './outputs.ts'
import type { Pairs } from './setkeys.ts'
import { SubagentFinder } from './subagents.ts'
import { followingEntries, isTool, precedingEntries, type ToolBlock, tipBeyond } from './toolexchange.ts'
import { AddedUsage, RecordsAhead } from './usage.ts'

/** A neighbour of an entry on its path. */
export interface Neighbour {
  readonly oid: Oid
  readonly type: string
  readonly role: Role | null
  readonly view: View
}

/** A tool call or a result, and its entry. */
export interface Counterpart {
  readonly oid: Oid
  readonly block: ToolBlock
}

/** The neighbours of an entry on a path of its session, and the counterparts of its tool calls and results. */
export interface Surroundings {
  /** The result of each of its calls, and the call of each of its results, by the id of the call. */
  readonly counterparts: ReadonlyMap<string, Counterpart>
  /** Its parent; null for a root. */
  readonly before: Neighbour | null
  /** The next entry on the path to the session's tip, else to one of its branches; null if there is none. */
  readonly after: Neighbour | null
}

/** An entry with everything that is known of it. */
export interface Shown extends LogEntry {
  readonly view: View
  readonly body: Json
  readonly digest: string
  /** The record of the entry in the session, as its source holds it; null without one. */
  readonly record: Json | null
  /** The branches and labels of the session that name the entry, and the session's keys. */
  readonly branches: readonly string[]
  /** Whether the session has so many branches that only some were looked at. */
  readonly moreBranches?: true
  readonly labels: readonly string[]
  readonly set: Pairs
  /** The state of the git repository of its session, null where that is unknown; and the session's pull requests. */
  readonly git: GitState | null
  readonly pullRequests: readonly string[]
  /** The native ids of the sessions of sub-agents that it started. */
  readonly agents: readonly string[]
  /** The files with its whole results, of which it holds a preview; the view has them in its place. */
  readonly outputs: readonly Output[]
  /** The native id of the session in which its session goes on, or null. */
  readonly continuedIn: string | null
  /** Its neighbours, and the counterparts of its tool calls and results. */
  readonly around: Surroundings
  /** The cost of its whole session as the agent reports it, in US dollars; null where it does not. */
  readonly reportedCost: number | null
}

/**
 * Returns one entry with its meaning, its body and its record, as it is in the session that the revision names, or in that
 * of an id. Throws as `resolve`.
 */
export async function show(repo: Repo, revision: string, owner?: string): Promise<Shown> {
  return repo.read(async (reader) => {
    const { handle, session: named } = await resolve(reader, revision)
    const session = owner === undefined ? named : await resolveSession(reader, owner)
    const finder = new PathRecords(reader, session)
    const records = new RecordsAhead((one) => finder.find(one))
    try {
      const found = await records.peek(handle)
      const added = new AddedUsage(reader, records.peek)
      const entry = await logEntry(reader, handle, session, found, {
        added,
        agents: new SubagentFinder(reader),
      })
      const body = await verifiedBody(reader, handle)
      const record = found && (await valueAt(reader, found))
      const { digest } = await reader.node(handle)
      const branches = namesOf(entry.oid, session?.someBranches ?? new Map())
      const labels = namesOf(entry.oid, session?.labels ?? new Map())
      const set = session?.meta.set ?? {}
      const outputs = await new Outputs(reader).of(entry.oid, entry.view)
      const view = withOutputs(await withBlobs(reader, entry.view, false), outputs)
      const agents = Object.entries(session?.meta.agents ?? {}).flatMap(([id, oid]) =>
        oid === entry.oid ? [id] : [],
      )
      const around = await surroundingsOf(reader, handle, view, session)
      const git = gitState(session?.meta.git)
      const pullRequests = session?.meta.pullRequests ?? []
      const continuedIn = session?.meta.continuedIn ?? null
      const more = session && !isWhole(session) ? { moreBranches: true as const } : {}
      const ofSession = { branches, ...more, labels, set, git, pullRequests, agents, continuedIn }
      const reportedCost = session?.source?.summary?.reported?.cost ?? null
      const own = { view, body, digest, record: record ?? null, outputs, around, reportedCost }
      return { ...entry, ...own, ...ofSession }
    } finally {
      await finder.close()
    }
  })
}

/** Returns the body of an entry. Throws `corrupt` if its digest differs from that of the entry. */
export async function verifiedBody(reader: Reader, handle: EntryHandle): Promise<Json> {
  const body = await reader.body(handle)
  const { digest } = await reader.node(handle)
  const isSound = digestOf(body) === digest
  // An expunged body has another digest than its entry.
  if (!isSound && !isExpunged(await tombstonesOf(reader), digest, body))
    throw new SessError('corrupt', `the body of ${await reader.oid(handle)} is not what its digest says`)
  return body
}

/** Returns the surroundings of an entry; those after it only if a session is given. Reads a bounded number of entries. */
async function surroundingsOf(
  reader: Reader,
  handle: EntryHandle,
  view: View,
  session: SessionTrunk | undefined,
): Promise<Surroundings> {
  const preceding = await precedingEntries(reader, handle)
  const tip = session && (await tipBeyond(reader, handle, session))
  const following = await followingEntries(reader, handle, tip)
  const [before, after] = [preceding[0], following[0]]
  return {
    counterparts: new Map([
      ...(await matching(reader, view, 'toolResult', preceding)),
      ...(await matching(reader, view, 'toolCall', following)),
    ]),
    before: before === undefined ? null : await neighbour(reader, before),
    after: after === undefined ? null : await neighbour(reader, after),
  }
}

/** Returns the counterparts of the tool blocks of a kind in a view, among some entries. */
async function matching(
  reader: Reader,
  view: View,
  kind: ToolBlock['kind'],
  handles: readonly EntryHandle[],
): Promise<Map<string, Counterpart>> {
  const found = new Map<string, Counterpart>()
  const open = new Set(view.blocks.filter(isTool).flatMap((block) => (block.kind === kind ? [block.id] : [])))
  for (const handle of handles) {
    if (open.size === 0) break
    const { oid, view: other } = await neighbour(reader, handle)
    const outputs = kind === 'toolCall' ? await new Outputs(reader).of(oid, other) : []
    for (const block of withOutputs(other, outputs).blocks.filter(isTool))
      if (block.kind !== kind && open.delete(block.id)) found.set(block.id, { oid, block })
  }
  return found
}

async function neighbour(reader: Reader, handle: EntryHandle): Promise<Neighbour> {
  const { type, traits } = await reader.node(handle)
  return { oid: await reader.oid(handle), type, role: roleOf(traits), view: await viewAt(reader, handle) }
}
