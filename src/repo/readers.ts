import { type Awaitable, andThen } from '../model/awaitable.ts'
import type { Tombstones } from '../model/expunged.ts'
import type { Backend } from '../storage/backend.ts'
import { GraftOverlay } from './grafts.ts'
import { type PointInTime, type Reader, StoreReader } from './reader.ts'
import { tombstonesOf } from './tombstones.ts'

/** Makes readers of backends, with grafts and the requested point in time. Caches grafts and tombstones per backend. */
export class Readers {
  readonly #pastOf: (backend: Backend) => Awaitable<PointInTime | undefined>
  #grafted = new WeakMap<Backend, Awaitable<Reader>>()
  readonly #plain = new WeakMap<Backend, Reader>()
  #tombstones = new WeakMap<Backend, Tombstones>()

  constructor(pastOf: (backend: Backend) => Awaitable<PointInTime | undefined>) {
    this.#pastOf = pastOf
  }

  /** Returns the reader of a backend; a `plain` one shows entries as they are stored, without grafts. */
  of(backend: Backend, { plain = false }: { readonly plain?: boolean }): Awaitable<Reader> {
    if (plain) return andThen(this.#pastOf(backend), (past) => this.#plainOf(backend, past))
    return this.#grafted.get(backend) ?? this.#read(backend)
  }

  #plainOf(backend: Backend, past: PointInTime | undefined): Reader {
    const known = this.#plain.get(backend) ?? new StoreReader(backend, undefined, past)
    this.#plain.set(backend, known)
    return known
  }

  #read(backend: Backend): Promise<Reader> {
    const reading = this.#make(backend)
    this.#grafted.set(backend, reading)
    const isStill = (): boolean => this.#grafted.get(backend) === reading
    reading.then(
      (reader) => isStill() && this.#grafted.set(backend, reader),
      // A failed read is not cached.
      () => isStill() && this.#grafted.delete(backend),
    )
    return reading
  }

  async #make(backend: Backend): Promise<Reader> {
    const past = await this.#pastOf(backend)
    const plain = this.#plainOf(backend, past)
    const grafts = await GraftOverlay.read(backend, plain)
    return grafts ? new StoreReader(backend, grafts, past) : plain
  }

  /** Returns the tombstones of a store. */
  async tombstones(backend: Backend): Promise<Tombstones> {
    const known = this.#tombstones.get(backend) ?? (await tombstonesOf(backend))
    this.#tombstones.set(backend, known)
    return known
  }

  /** Forgets the grafts and tombstones that were read, because they moved. */
  forget(): void {
    this.#grafted = new WeakMap()
    this.#tombstones = new WeakMap()
  }
}
