import { joined } from '../../model/bytes.ts'
import { isObject } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import { isOid, type Oid } from '../../model/oid.ts'
import type { LogId } from '../../model/record.ts'
import { exportRef, leafRef } from '../../model/refname.ts'
import { readRecords } from '../../repo/logreading.ts'
import { bytesOfRecord } from '../../repo/records.ts'
import type { Change } from '../../repo/repo.ts'
import { type ExportHead, refValue, type Session } from '../../repo/session.ts'
import { NO_HASH, nextHash } from '../import/logtarget.ts'
import type { Carry } from './carry.ts'

/**
 * Carries over what a session was written to, so that it goes on with what is added there: logs that say the same of
 * the entries that stand for it now, their records as they were read. So is where the agent stood that it is kept for.
 */
export async function carryExports(change: Change, session: Session, carry: Carry): Promise<void> {
  const { reader, move } = change
  const { id } = session
  for (const [native, head] of session.exports) {
    const branches: { [name: string]: Oid } = {}
    for (const [name, oid] of Object.entries(head.branches)) branches[name] = await carry.oid(oid)
    const tip = await carry.oid(head.tip)
    const isSame = Object.entries(branches).every(([name, oid]) => head.branches[name] === oid)
    if (isSame && tip === head.tip) continue
    const after = { ...head, ...(await logsAgain(change, head, carry)), branches, tip }
    move(exportRef(id, native), refValue(head), refValue(after))
  }
  const leaf = await reader.ref(leafRef(id))
  if (!isObject(leaf) || typeof leaf.tip !== 'string' || !isOid(leaf.tip)) return
  const tip = await carry.oid(leaf.tip)
  if (tip !== leaf.tip) move(leafRef(id), leaf, { ...leaf, tip })
}

async function logsAgain(
  { reader, writer }: Change,
  head: ExportHead,
  carry: Carry,
): Promise<Pick<ExportHead, 'written' | 'log' | 'hash'>> {
  const now = new Map<EntryHandle, EntryHandle>()
  const replaced = async (handle: EntryHandle | undefined): Promise<EntryHandle | undefined> => {
    if (handle === undefined) return undefined
    const known = now.get(handle) ?? (await carry.handle(handle))
    now.set(handle, known)
    return known
  }
  let hash = NO_HASH
  const again = async (log: LogId, count: number): Promise<LogId> => {
    const next = writer.newLog()
    for await (const [position, record] of readRecords(reader, log, 0, count)) {
      const pieces: Uint8Array[] = []
      for await (const piece of bytesOfRecord(reader, record)) pieces.push(piece)
      const entry = await replaced(record.entry)
      hash = nextHash(hash, entry === undefined ? null : await reader.oid(entry), record, joined(pieces))
      const tip = await replaced(record.tip)
      writer.appendRecord(next, position, { ...record, entry, tip, lead: NOTHING, content: { raw: pieces } })
    }
    return next
  }
  const [log, count] = head.written
  const written = [await again(log, count), count] as const
  return { written, log: await again(head.log, head.count), hash }
}

const NOTHING = new Uint8Array(0)
