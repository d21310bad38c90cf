import { setTimeout as pause } from 'node:timers/promises'
import type { Json } from '../../model/json.ts'
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

/** Finds the open operation; `here` returns that of this process. Where no process holds the database, it is opened. */
export async function findOpenOperation(
  lease: AskedLease,
  here: () => OpenOperation,
): Promise<OpenOperation> {
  const found = await atHolder(lease, OPEN_OPERATION, MAX_FIND, () => Promise.resolve(here()))
  if (found === undefined) return 'unknown'
  return typeof found === 'number' && found > 0 ? found : 'none'
}

/**
 * Closes the newest operation in the process that holds the database, which is this one where no other one does, so that
 * nothing is joined with it any more. A holder that cannot be asked goes on joining.
 */
export async function closeNewest(lease: AskedLease, closeHere: () => Promise<void>): Promise<void> {
  await atHolder(lease, CLOSE_OPERATION, MAX_CLOSE, () => closeHere().then(() => null))
}

type AskedLease = Pick<Lease, 'current' | 'tryWrite' | 'ask'>

/** The milliseconds between two requests, and those after which they end: to find the open operation, and to close it. */
const PAUSE = 8
const MAX_FIND = 200
const MAX_CLOSE = 1000

/** Does something in the process that holds the database. Returns undefined where that cannot be asked. */
async function atHolder(
  lease: AskedLease,
  request: string,
  timeout: number,
  here: () => Promise<Json>,
): Promise<Json | undefined> {
  const until = monotonicNow() + timeout
  do {
    let isReadOnly = false
    const handle = lease.current
      ? { release: () => undefined }
      : await lease.tryWrite().catch((error: unknown) => {
          if (!(isReadOnly = isUnwritable(error))) throw error
        })
    if (handle) return here().finally(handle.release)
    const answer = await (await lease.ask())?.work(request, null)
    if (typeof answer === 'object') return answer.value
    if (isReadOnly) return undefined
    // A process that has just opened the database listens soon, or closes it.
    await pause(PAUSE)
  } while (monotonicNow() < until)
  return undefined
}
