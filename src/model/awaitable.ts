/** A value, or the promise of one. A backend answers at once where it can. */
export type Awaitable<T> = T | Promise<T>
