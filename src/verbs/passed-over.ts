import { passedOver } from '../ops/passedover.ts'
import type { Store } from './open.ts'

/** Returns the damaged refs that reading has gone on without, with what is wrong with each. */
export const refsPassedOver = (store: Store): Promise<ReadonlyMap<string, string>> => passedOver(store)

/** Returns how many refs reading went on without, as a sentence; undefined for none. */
export async function passedOverText(store: Store): Promise<string | undefined> {
  const { size } = await passedOver(store)
  if (size === 0) return undefined
  return size === 1
    ? '1 ref of the store cannot be read and was left out'
    : `${size} refs of the store cannot be read and were left out`
}
