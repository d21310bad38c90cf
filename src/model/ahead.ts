/** So many things are on their way at most. */
const MOST = 4

/**
 * Gives what is begun with each of some things, in their order. While one is used the next are on their way: none before
 * the first was asked for, and the more the longer it goes on.
 */
export async function* ahead<T, R>(
  things: Iterable<T> | AsyncIterable<T>,
  begin: (thing: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = []
  let room = 0
  for await (const [next] of begunWith(things, begin)) {
    begun.push(next)
    if (begun.length <= room) continue
    yield begun.shift() as Promise<R>
    room = Math.min(MOST, room + 1)
  }
  yield* begun
}

/** Gives what is begun with each of some things; where these end in an error, last of all that, which is thrown where its turn comes. */
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

/** Gives a list in pieces of so many. */
export function* pieces<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size)
}
