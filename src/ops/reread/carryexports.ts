import { joined } from '../../model/bytes.ts'
import { isObject } from '../../model/json.ts'
import { isOid, type Oid } from '../../model/oid.ts'
import { exportRef, leafRef } from '../../model/refname.ts'
import { NO_ROW, type Row } from '../../repo/backend.ts'
import { bytesOfRecord } from '../../repo/records.ts'
import type { Change } from '../../repo/repo.ts'
import { type ExportHead, refValue, type Session } from '../../repo/session.ts'
import { NO_HASH, nextHash } from '../import/target.ts'
import type { Carry } from './carry.ts'

/**
 * Carries over what a session was written to, so that it goes on with what is added there: logs that say the same of
 * the entries that stand for it now, their records as they were read. So is where the agent stood that it is kept for.
 */
export async function carryExports(change: Change, session: Session, carry: Carry): Promise<void> {
  const { backend, move } = change
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
  const leaf = await backend.ref(leafRef(id))
  if (!isObject(leaf) || typeof leaf.tip !== 'string' || !isOid(leaf.tip)) return
  const tip = await carry.oid(leaf.tip)
  if (tip !== leaf.tip) move(leafRef(id), leaf, { ...leaf, tip })
}

async function logsAgain(
  { backend, transaction }: Change,
  head: ExportHead,
  carry: Carry,
): Promise<Pick<ExportHead, 'written' | 'log' | 'hash'>> {
  const now = new Map<Row, Row>([[NO_ROW, NO_ROW]])
  const stands = async (row: Row): Promise<Row> => {
    const known = now.get(row) ?? (await carry.row(row))
    now.set(row, known)
    return known
  }
  let hash = NO_HASH
  const again = async (log: number, count: number): Promise<number> => {
    const next = transaction.newLog()
    for await (const [position, record] of backend.records(log, 0, count)) {
      const pieces: Uint8Array[] = []
      for await (const piece of bytesOfRecord(backend, record)) pieces.push(piece)
      const row = await stands(record.row)
      hash = nextHash(hash, row === NO_ROW ? null : await backend.oid(row), record, joined(pieces))
      const tip = await stands(record.tip)
      transaction.record(next, position, { ...record, row, tip, lead: NOTHING, content: { raw: pieces } })
    }
    return next
  }
  const [log, count] = head.written
  const written = [await again(log, count), count] as const
  return { written, log: await again(head.log, head.count), hash }
}

const NOTHING = new Uint8Array(0)
