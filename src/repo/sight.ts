import type { Awaitable, Backend } from '../storage/backend.ts'
import { grafted } from './grafted.ts'

/** Gives backends as they are looked at: as they were then, joined by the grafts that they had. Grafts are read once. */
export class Sight {
  readonly #then: (backend: Backend) => Awaitable<Backend>
  #grafted = new WeakMap<Backend, Awaitable<Backend>>()

  constructor(then: (backend: Backend) => Awaitable<Backend>) {
    this.#then = then
  }

  /** Gives a backend as it is looked at; `plain` without grafts. */
  async of(backend: Backend, { plain = false }: { readonly plain?: boolean }): Promise<Backend> {
    const then = await this.#then(backend)
    if (plain) return then
    let seen = this.#grafted.get(then)
    if (!seen) {
      seen = grafted(then)
      this.#grafted.set(then, seen)
    }
    if (!(seen instanceof Promise)) return seen
    const joined = await seen
    if (this.#grafted.get(then) === seen) this.#grafted.set(then, joined)
    return joined
  }

  /** Forgets the grafts that were read, because they moved. */
  forget(): void {
    this.#grafted = new WeakMap()
  }
}
