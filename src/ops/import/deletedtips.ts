import { pathSince } from '../../graph/mergebase.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import type { EntryHandle } from '../../model/node.ts'
import { branchRef } from '../../model/refname.ts'
import { importedBranches } from '../../repo/importedbranches.ts'
import type { Reader } from '../../repo/reader.ts'
import { readHeaders } from '../../repo/records.ts'
import type { Change } from '../../repo/repo.ts'
import { MAIN, type SessionState } from '../../repo/session.ts'
import { freeName } from './branches.ts'
import type { Match } from './comparesource.ts'
import type { Notice } from './notices.ts'
import type { Source } from './source.ts'

/**
 * The tips of a database's session as import left them, by the ids of their messages: those whose message the agent has
 * deleted since stay as branches. A message that it only changed is superseded.
 */
export type FormerTips = Map<string, readonly Oid[]>

/** Returns the former tips of a session that is read again from its rows. */
export async function formerTips(
  reader: Reader,
  match: Match,
  { packing }: Pick<Source, 'packing'>,
): Promise<FormerTips> {
  const found: FormerTips = new Map()
  if (match.kind !== 'rewritten' || match.exported || packing !== 'rows') return found
  const { log, count } = match.source
  const open = new Map<EntryHandle, Oid>()
  for (const oid of Object.values(await importedBranches(reader, match.source))) {
    const handle = await reader.find(oid)
    if (handle !== undefined) open.set(handle, oid)
  }
  let unnamed: Oid[] = []
  for await (const [, { entry, native }] of readHeaders(reader, log, 0, count, true)) {
    if (entry === undefined) continue
    const tip = open.get(entry)
    if (tip !== undefined) unnamed.push(tip)
    open.delete(entry)
    // A tip without an id of its own, such as an edit, has that of the message before it.
    if (native !== undefined && unnamed.length > 0) {
      found.set(native, unnamed)
      unnamed = []
    }
    if (open.size === 0 && unnamed.length === 0) break
  }
  return found
}

/**
 * Adds a branch for each deleted tip that has none, named by its first entry that is not on `main`. Returns a notice of
 * each.
 */
export async function keepDeleted(
  { reader, move }: Pick<Change, 'reader' | 'move'>,
  { id, branches }: Pick<SessionState, 'id' | 'branches'>,
  { deleted, now }: { readonly deleted: Iterable<Oid>; readonly now: { readonly [name: string]: Oid } },
): Promise<Notice[]> {
  const notices: Notice[] = []
  const main = now[MAIN] === undefined ? undefined : await reader.find(now[MAIN])
  const taken = new Set([...branches.keys(), ...Object.keys(now)])
  const kept = new Set([...branches].flatMap(([name, oid]) => (name === MAIN ? [] : [oid])))
  for (const oid of new Set(deleted)) {
    const tip = await reader.find(oid)
    if (tip === undefined || kept.has(oid)) continue
    const [first] = await pathSince(tip, main, (handle) => reader.node(handle))
    if (first === undefined) continue
    const name = freeName(await reader.oid(first), (one) => taken.has(one))
    taken.add(name)
    move(branchRef(id, name), undefined, oid)
    const message = `messages that the agent has deleted are kept in the branch '${name}'`
    notices.push({ code: 'deleted-messages', line: 0, offset: 0, message })
  }
  return notices
}
