import { type Awaitable, andThen } from '../../model/awaitable.ts'
import type { Backend } from '../../storage/backend.ts'
import { grafted } from './grafted.ts'

/** Gives backends as they are looked at: as they were then, joined by the grafts that they had. Grafts are read once. */
export class Sight {
  readonly #then: (backend: Backend) => Awaitable<Backend>
  #grafted = new WeakMap<Backend, Awaitable<Backend>>()

  constructor(then: (backend: Backend) => Awaitable<Backend>) {
    this.#then = then
  }

  /** Gives a backend as it is looked at; `plain` without grafts. */
  of(backend: Backend, { plain = false }: { readonly plain?: boolean }): Awaitable<Backend> {
    return andThen(this.#then(backend), (then) => (plain ? then : this.#joined(then)))
  }

  #joined(then: Backend): Awaitable<Backend> {
    let seen = this.#grafted.get(then)
    if (!seen) {
      seen = grafted(then)
      this.#grafted.set(then, seen)
    }
    if (!(seen instanceof Promise)) return seen
    const reading = seen
    const isStill = (): boolean => this.#grafted.get(then) === reading
    return reading.then(
      (joined) => {
        if (isStill()) this.#grafted.set(then, joined)
        return joined
      },
      (error: unknown) => {
        // The next one reads them again: the disk may give them then.
        if (isStill()) this.#grafted.delete(then)
        throw error
      },
    )
  }

  /** Forgets the grafts that were read, because they moved. */
  forget(): void {
    this.#grafted = new WeakMap()
  }
}
