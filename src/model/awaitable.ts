/** A value, or the promise of one: what is at hand is not waited for. */
export type Awaitable<T> = T | Promise<T>

/** Goes on with a value: at once where it is at hand. */
export const andThen = <T, R>(value: Awaitable<T>, go: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(go) : go(value)
