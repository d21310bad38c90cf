import { ancestor } from '../../graph/walk.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import type { EntryHandle } from '../../model/node.ts'
import { branchRef, exportRef } from '../../model/refname.ts'
import { importedBranches, withNumberedApart } from '../../repo/importedbranches.ts'
import type { Reader } from '../../repo/reader.ts'
import { readHeaders } from '../../repo/records.ts'
import type { Change } from '../../repo/repo.ts'
import { type ExportHead, MAIN, refValue, type SessionState, type SourceHead } from '../../repo/session.ts'
import { branchesOf, freeName } from './branches.ts'
import type { Exported } from './comparesource.ts'
import type { Ingester } from './ingester.ts'
import type { ExportedRecords } from './logtarget.ts'

/** Returns what the lines of an export stand for, as it was written down then. */
export async function readExportedRecords(
  reader: Reader,
  { written, tip }: ExportHead,
): Promise<ExportedRecords> {
  const entries: (EntryHandle | null)[] = []
  const [log, count] = written
  for await (const [, header] of readHeaders(reader, log, 0, count)) entries.push(header.tip ?? null)
  return { entries, tip: await reader.find(tip) }
}

/** A session, its exported file, and the new records of that file. */
interface GoingOn {
  readonly session: SessionState
  readonly exported: Exported
  readonly head: SourceHead
  readonly ingester: Ingester
  /** The log of the exported file, if its agent rewrote the file. */
  readonly written?: ExportHead['written']
}

/**
 * Continues a session with what another agent added to its exported file: on the exported branch if that has not moved
 * since and the new entries continue it, else on a new branch, named as import names leaves.
 */
export async function continueExport(
  change: Change,
  { session, exported, head, ingester, ...again }: GoingOn,
): Promise<void> {
  const { reader, move } = change
  const { native, head: before } = exported
  const imported = await importedBranches(reader, before)
  const branches = await branchesOf(reader, ingester, imported)
  const taken = new Map(session.branches)
  const set = (name: string, oid: Oid): void => {
    move(branchRef(session.id, name), taken.get(name), oid)
    taken.set(name, oid)
  }
  const [was, now] = [before.branches[MAIN], branches[MAIN]]
  let { onto } = before
  if (now !== undefined && now !== was) {
    const follows =
      onto !== undefined && session.branches.get(onto) === was && (await continues(reader, now, was))
    if (onto === undefined || !follows)
      onto = freeName(await firstNew(reader, now, ingester), (name) => taken.has(name))
    set(onto, now)
  }
  for (const [name, oid] of Object.entries(branches)) {
    const at = taken.get(name)
    if (name !== MAIN && at === imported[name] && at !== oid && ![...taken.values()].includes(oid))
      set(name, oid)
  }
  const { format, tip } = before
  const written = again.written ?? before.written
  const after: ExportHead = { ...head, branches, format, written, tip, ...(onto !== undefined && { onto }) }
  move(exportRef(session.id, native), refValue(before), refValue(withNumberedApart(change.writer, after)))
}

/** Returns whether an entry continues another one. */
async function continues(reader: Reader, now: Oid, was: Oid | undefined): Promise<boolean> {
  const [below, above] = [await reader.find(now), was === undefined ? undefined : await reader.find(was)]
  if (below === undefined || above === undefined) return false
  const look = (handle: EntryHandle) => reader.node(handle)
  const steps = (await look(below)).depth - (await look(above)).depth
  return steps >= 0 && (await ancestor(below, steps, look)) === above
}

/** Returns the first entry of a path that the export did not write. */
async function firstNew(reader: Reader, tip: Oid, { sourceEntries }: Ingester): Promise<Oid> {
  let first = tip
  for (let handle = await reader.find(tip); handle !== undefined && sourceEntries.entries.has(handle); ) {
    first = await reader.oid(handle)
    handle = (await reader.node(handle)).parents[0]
  }
  return first
}
