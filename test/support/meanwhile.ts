import { setImmediate as turn } from 'node:timers/promises'
import type { Oid } from '../../src/model/oid.ts'
import type { Repo } from '../../src/repo/repo.ts'

/**
 * Says more, and reads, at each turn of the event loop until what was begun first is done, and waits for all of it. Gives
 * how many were begun.
 */
export async function sayMeanwhile(
  repo: Repo,
  first: Promise<unknown> | undefined,
  say: () => Promise<readonly Oid[]>,
): Promise<number> {
  const begun: Promise<unknown>[] = []
  while ((await Promise.race([first, turn('goes on')])) === 'goes on')
    begun.push(
      say(),
      repo.read(() => undefined),
    )
  await Promise.all(begun)
  return begun.length
}
