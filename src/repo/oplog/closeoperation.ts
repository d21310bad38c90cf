import { setTimeout as pause } from 'node:timers/promises'
import { monotonicNow } from '../../storage/clock.ts'
import { isUnwritable } from '../../storage/directory/files.ts'
import type { Lease } from '../lease/lease.ts'

/** The operations that are closed. Both numbers are infinite in a dry run and in the past, which nobody else writes. */
export interface ClosedOperations {
  /** The newest operation before they were closed. */
  readonly latest: number
  /** The newest operation that takes no more moves. */
  readonly closed: number
}

/** The request that asks the holder to close the newest operation. Every process answers it. */
export const CLOSE_OPERATION = 'close-operation'

/** Milliseconds between two such requests, and milliseconds after which they end. */
const PAUSE = 8
const MOST_WAIT = 1000

/**
 * Closes the newest operation in the process that holds the database, which is this one where no other one does.
 * Returns false where the holder cannot be asked.
 */
export async function closeNewest(
  lease: Pick<Lease, 'current' | 'tryWrite' | 'ask'>,
  closeHere: () => Promise<void>,
): Promise<boolean> {
  const until = monotonicNow() + MOST_WAIT
  do {
    let isReadOnly = false
    const handle = lease.current
      ? { release: () => undefined }
      : await lease.tryWrite().catch((error: unknown) => {
          if (!(isReadOnly = isUnwritable(error))) throw error
        })
    if (handle) {
      await closeHere().finally(handle.release)
      return true
    }
    const answer = await (await lease.ask())?.work(CLOSE_OPERATION, null)
    if (typeof answer === 'object') return true
    if (isReadOnly) return false
    // A process that has just opened the database listens soon, or closes it.
    await pause(PAUSE)
  } while (monotonicNow() < until)
  return false
}
