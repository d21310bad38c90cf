import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { ALL } from './amount.ts'

/** The turns of the event loop after which it goes on more slowly: each entry takes a sync. */
const AT_ONCE = ALL ? Number.POSITIVE_INFINITY : 40

/**
 * Says more, and reads, at each turn of the event loop until what was begun first is done, and waits for all of it.
 * Returns how many were begun.
 */
export async function sayMeanwhile(
  repo: Repo,
  first: Promise<unknown> | undefined,
  say: () => Promise<readonly Oid[]>,
): Promise<number> {
  const begun: Promise<unknown>[] = []
  const next = (): Promise<string> => (begun.length < 2 * AT_ONCE ? turn('goes on') : pause(20, 'goes on'))
  while ((await Promise.race([first, next()])) === 'goes on')
    begun.push(
      say(),
      repo.read(() => undefined),
    )
  await Promise.all(begun)
  return begun.length
}
