import type { Awaitable } from '../model/async.ts'
import type { Tombstones } from '../model/secrets/expunged.ts'
import type { Backend } from '../storage/backend.ts'
import { tombstonesOf } from './expunge/tombstones.ts'
import { GraftOverlay } from './grafts.ts'
import { type CurrentChoice, type PointInTime, type Reader, StoreReader } from './reader.ts'

/** Makes readers of backends, with grafts and the requested point in time. Caches grafts and tombstones per backend. */
export class Readers {
  readonly #pastOf: (backend: Backend) => Awaitable<PointInTime | undefined>
  readonly current: CurrentChoice
  #grafted = new WeakMap<Backend, Promise<Reader>>()
  readonly #plain = new WeakMap<Backend, Reader>()
  #tombstones = new WeakMap<Backend, Tombstones>()

  constructor(pastOf: (backend: Backend) => Awaitable<PointInTime | undefined>, current: CurrentChoice = {}) {
    this.#pastOf = pastOf
    this.current = current
  }

  /** Returns the reader of a backend; a `plain` one shows entries as they are stored, without grafts. */
  async of(backend: Backend, { plain = false }: { readonly plain?: boolean }): Promise<Reader> {
    if (plain) return this.#plainOf(backend, await this.#pastOf(backend))
    return this.#grafted.get(backend) ?? this.#read(backend)
  }

  #plainOf(backend: Backend, past: PointInTime | undefined): Reader {
    const known = this.#plain.get(backend) ?? new StoreReader(backend, { past, current: this.current })
    this.#plain.set(backend, known)
    return known
  }

  #read(backend: Backend): Promise<Reader> {
    const reading = this.#make(backend)
    this.#grafted.set(backend, reading)
    // A failure is not remembered: the next read may succeed.
    reading.catch(() => {
      if (this.#grafted.get(backend) === reading) this.#grafted.delete(backend)
    })
    return reading
  }

  async #make(backend: Backend): Promise<Reader> {
    const past = await this.#pastOf(backend)
    const plain = this.#plainOf(backend, past)
    const grafts = await GraftOverlay.read(backend, plain)
    return grafts ? new StoreReader(backend, { grafts, past, current: this.current }) : plain
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
