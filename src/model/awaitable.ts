/** A value, or the promise of one: what is at hand is not waited for. */
export type Awaitable<T> = T | Promise<T>

/** Goes on with a value: at once where it is at hand. */
export const andThen = <T, R>(value: Awaitable<T>, go: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(go) : go(value)

/** Does something with each of some values, one after the other: at once as far as nothing has to be waited for. */
export function eachInTurn<T>(values: Iterable<T>, go: (value: T) => Awaitable<void>): Awaitable<void> {
  const left = values[Symbol.iterator]()
  for (let next = left.next(); !next.done; next = left.next()) {
    const gone = go(next.value)
    if (gone instanceof Promise) return restInTurn(gone, left, go)
  }
}

async function restInTurn<T>(
  first: Promise<void>,
  left: Iterator<T>,
  go: (value: T) => Awaitable<void>,
): Promise<void> {
  await first
  for (let next = left.next(); !next.done; next = left.next()) {
    const gone = go(next.value)
    if (gone) await gone
  }
}
