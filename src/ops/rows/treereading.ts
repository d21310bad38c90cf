import type { Reader } from '../../repo/reader.ts'
import type { LookAt } from '../graphentry.ts'

/** Runs waiting events, and throws where the work is to stop. */
export type Pause = () => Promise<void>

/** Milliseconds of work after which waiting events run: a key or a request waits for several turns of events. */
const SLICE = 1

/** So many looks are between two questions for the time. */
const LOOKS = 8

/** Returns a look that runs waiting events every few milliseconds. */
export function slicedLook(reader: Reader, pause: Pause): LookAt {
  let [looks, since] = [0, performance.now()]
  return (handle) => {
    if (++looks % LOOKS !== 0 || performance.now() - since < SLICE) return reader.node(handle)
    return pause().then(() => {
      since = performance.now()
      return reader.node(handle)
    })
  }
}

/** The means by which a tree is read. */
export interface TreeReading {
  readonly reader: Reader
  readonly look: LookAt
  readonly pause: Pause
}
