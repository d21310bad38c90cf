/** A value, or the promise of one. A backend answers at once where it can. */
export type Awaitable<T> = T | Promise<T>

/** The most results in flight. */
const MAX_IN_FLIGHT = 4

/**
 * Yields the results of asynchronous work on each item, in order. While one is used, the next ones are in flight: none
 * before the first request, and one more with each result.
 */
export async function* prefetched<T, R>(
  things: Iterable<T> | AsyncIterable<T>,
  begin: (thing: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = []
  let allowed = 0
  for await (const [next] of begunWith(things, begin)) {
    begun.push(next)
    if (begun.length <= allowed) continue
    yield begun.shift() as Promise<R>
    allowed = Math.min(MAX_IN_FLIGHT, allowed + 1)
  }
  yield* begun
}

/** Yields the pending result of each item. If the items end with an error, the last one rejects with it. */
async function* begunWith<T, R>(
  things: Iterable<T> | AsyncIterable<T>,
  begin: (thing: T) => Promise<R>,
): AsyncGenerator<readonly [Promise<R>]> {
  const quiet = (next: Promise<R>): readonly [Promise<R>] => {
    next.catch(() => undefined)
    return [next]
  }
  try {
    for await (const thing of things) yield quiet(begin(thing))
  } catch (error) {
    yield quiet(Promise.reject(error))
  }
}

/** Returns all that is yielded. */
export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Yields a list in chunks of a size. */
export function* chunksOf<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size)
}
