import { setTimeout as pause } from 'node:timers/promises'
import { monotonicNow } from '../../storage/clock.ts'
import { isUnwritable } from '../../storage/directory/files.ts'
import type { Lease } from '../lease/lease.ts'

/*
 * The newest operation is open while later appends may be joined with it. Only the process that holds the database knows
 * that, and only there it is closed; where no process holds it, the newest operation is closed.
 */

/** The requests that ask the holder for the number of the open operation (0 for none), and to close it. */
export const OPEN_OPERATION = 'open-operation'
export const CLOSE_OPERATION = 'close-operation'

/** Which operation is open, by its number: none, or unknown where the holder of the database cannot be asked. */
export type OpenOperation = number | 'none' | 'unknown'

/** Finds the open operation; `here` returns that of this process. */
export async function findOpenOperation(
  lease: Pick<Lease, 'current' | 'ask' | 'use'>,
  here: () => OpenOperation,
): Promise<OpenOperation> {
  const until = monotonicNow() + MAX_FIND
  do {
    // Where no process holds the database, it is opened here.
    if (!lease.current) await lease.use('read', () => undefined)
    if (lease.current) return here()
    const answer = await (await lease.ask())?.work(OPEN_OPERATION, null)
    if (typeof answer === 'object')
      return typeof answer.value === 'number' && answer.value > 0 ? answer.value : 'none'
    // A process that has just opened the database listens soon, or closes it.
    await pause(PAUSE)
  } while (monotonicNow() < until)
  return 'unknown'
}

/** Returns whether more moves may come to the newest operation. */
export const mayGrow = (newest: number, open: OpenOperation): boolean => open === newest || open === 'unknown'

/** The milliseconds between two requests, and those after which they end: to find the open operation, and to close it. */
const PAUSE = 8
const MAX_FIND = 200
const MAX_CLOSE = 1000

/**
 * Closes the newest operation in the process that holds the database, which is this one where no other one does, so that
 * nothing is joined with it any more. A holder that cannot be asked goes on joining.
 */
export async function closeNewest(
  lease: Pick<Lease, 'current' | 'tryWrite' | 'ask'>,
  closeHere: () => Promise<void>,
): Promise<void> {
  const until = monotonicNow() + MAX_CLOSE
  do {
    let isReadOnly = false
    const handle = lease.current
      ? { release: () => undefined }
      : await lease.tryWrite().catch((error: unknown) => {
          if (!(isReadOnly = isUnwritable(error))) throw error
        })
    if (handle) return closeHere().finally(handle.release)
    const answer = await (await lease.ask())?.work(CLOSE_OPERATION, null)
    if (typeof answer === 'object' || isReadOnly) return
    // A process that has just opened the database listens soon, or closes it.
    await pause(PAUSE)
  } while (monotonicNow() < until)
}
