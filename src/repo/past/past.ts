import { SessError } from '../../model/errors.ts'
import type { RefName } from '../../model/refname.ts'
import type { Zone } from '../../model/when.ts'
import type { Awaitable, Backend, Operation, RefValue } from '../../storage/backend.ts'
import type { Env } from '../env.ts'
import { Through } from '../grafts/through.ts'
import { newestFirst } from '../operation.ts'
import { momentOf } from './moment.ts'

/**
 * Gives what the refs that moved since an operation were right after it, undefined where there was none. Reads the
 * operations since.
 */
export async function refsThen(
  backend: Backend,
  number: number,
): Promise<Map<RefName, RefValue | undefined>> {
  const then = new Map<RefName, RefValue | undefined>()
  for await (const operation of newestFirst(backend)) {
    if (operation.number <= number) break
    for (const move of operation.moves) then.set(move.name, move.old)
  }
  return then
}

/** Gives a backend whose refs and operations are those of the moment right after an operation; it only reads. */
const pastOf = async (backend: Backend, number: number): Promise<Backend> =>
  new Past(backend, number, await refsThen(backend, number))

/**
 * Gives what turns a backend into what it was right after an operation, which `momentOf` knows by the text; it stays as
 * it is where none is named. What is the same backend again is turned once.
 */
export function lookingBack(
  operation: string | undefined,
  { now }: Env,
  zone?: Zone,
): (backend: Backend) => Awaitable<Backend> {
  if (operation === undefined) return (backend) => backend
  let last: { readonly backend: Backend; readonly past: Promise<Backend> } | undefined
  const turned = async (backend: Backend): Promise<Backend> =>
    pastOf(backend, await momentOf(backend, operation, now(), zone))
  return (backend) => {
    if (last?.backend !== backend) {
      const mine = { backend, past: turned(backend) }
      last = mine
      // Else one read that failed would fail all later ones.
      mine.past.catch(() => {
        if (last === mine) last = undefined
      })
    }
    return last.past
  }
}

type Then = ReadonlyMap<RefName, RefValue | undefined>

/** A backend as it was. Objects, records and notes are those of now: nothing that refs named then is ever changed. */
class Past extends Through {
  readonly #operation: number
  readonly #then: Then
  readonly #names: readonly RefName[]

  constructor(now: Backend, operation: number, then: Then) {
    super(now)
    this.#operation = operation
    this.#then = then
    this.#names = [...then.keys()].sort()
  }

  override ref(name: RefName): Awaitable<RefValue | undefined> {
    return this.#then.has(name) ? this.#then.get(name) : this.now.ref(name)
  }

  override async *refs(prefix: string): AsyncGenerator<[RefName, RefValue]> {
    const names = this.#names.filter((name) => name.startsWith(prefix))
    let next = 0
    for await (const [name, value] of this.now.refs(prefix)) {
      for (; (names[next] ?? name) < name; next++) yield* this.#moved(names[next] as RefName)
      if (!this.#then.has(name)) yield [name, value]
    }
    for (; next < names.length; next++) yield* this.#moved(names[next] as RefName)
  }

  *#moved(name: RefName): Generator<[RefName, RefValue]> {
    const value = this.#then.get(name)
    if (value !== undefined) yield [name, value]
  }

  override lastOperation(): number {
    return this.#operation
  }

  override operation(number: number): Awaitable<Operation | undefined> {
    return number > this.#operation ? undefined : this.now.operation(number)
  }

  /** What is kept is of later. */
  override list(): undefined {
    return undefined
  }

  override begin(): never {
    throw new SessError('read-only', `operation ${this.#operation}`)
  }
}
