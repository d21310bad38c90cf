import type { Awaitable } from '../../model/awaitable.ts'
import type { Change, Repo, WriteOptions } from '../../repo/repo.ts'

/** What came of one of several requests that were carried out together. */
export type Outcome<R> = { readonly value: R } | { readonly error: unknown }

interface Group {
  readonly key: string
  /** How many pieces of work had been asked for once this one was: one more, and nothing may join any more. */
  readonly turn: number
  readonly asked: unknown[]
  readonly outcomes: Promise<readonly Outcome<unknown>[]>
}

/** At most so many requests are carried out together, so that none waits long. */
const MOST = 256

/** For each repo the group that waits for its turn. */
const waiting = new WeakMap<Repo, Group>()

/**
 * Carries a request out in one piece of work with all of the same `key` that wait for the same turn, so that they
 * share what one write costs. Their order among all other work stays. `work` gives what came of each, in their order;
 * where it throws, all of them fail.
 */
export async function together<A, R>(
  repo: Repo,
  key: string,
  writing: WriteOptions,
  ask: A,
  work: (change: Change, asked: readonly A[]) => Awaitable<readonly Outcome<R>[]>,
): Promise<R> {
  let group = waiting.get(repo)
  if (group?.key !== key || group.turn !== repo.activityCount || group.asked.length === MOST) {
    const asked: A[] = []
    const outcomes = repo.write(writing, (change) => {
      close(repo, asked)
      return work(change, asked)
    })
    group = { key, turn: repo.activityCount, asked, outcomes }
    waiting.set(repo, group)
  }
  const at = group.asked.push(ask) - 1
  let outcome: Outcome<R>
  try {
    outcome = (await group.outcomes)[at] as Outcome<R>
  } catch (error) {
    // Where it is refused before it begins nobody joins it any more either.
    close(repo, group.asked)
    throw error
  }
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

/** Has nobody join a group any more. */
function close(repo: Repo, asked: readonly unknown[]): void {
  if (waiting.get(repo)?.asked === asked) waiting.delete(repo)
}
