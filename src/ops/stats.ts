import type { Repo } from '../repo/repo.ts'
import { allSessions, recordsOf } from '../repo/session.ts'
import { bytesBelow } from '../repo/size.ts'

/** How much a store holds. */
export interface Stats {
  readonly sessions: number
  readonly records: number
  /** Distinct entries and blobs, those included that nothing reaches. */
  readonly entries: number
  readonly blobs: number
  /** Bytes that all sources had when they were last read. */
  readonly sourceBytes: number
  /** Bytes of the store's folder. */
  readonly storeBytes: number
}

/** Counts what a store holds: reads all of its index. */
export async function stats(repo: Repo): Promise<Stats> {
  const counted = await repo.read(async (reader) => {
    let [sessions, records, sourceBytes] = [0, 0, 0]
    for await (const session of allSessions(reader)) {
      sessions++
      records += recordsOf(session)
      sourceBytes += session.source?.bytes ?? 0
    }
    return { sessions, records, sourceBytes, ...(await reader.sizes()) }
  })
  const { sessions, records, entries, blobs, sourceBytes } = counted
  return { sessions, records, entries, blobs, sourceBytes, storeBytes: bytesBelow(repo.dir) }
}
