import type { RefValue } from '../model/operation.ts'
import type { RefName, RefPrefix } from '../model/refname.ts'
import { checkedValue, refProblem } from '../model/refs/table.ts'
import type { Backend } from '../storage/backend.ts'
import type { Reader } from './reader.ts'
import { isTolerant, passOver } from './unsoundrefs.ts'

/** Returns the value of a ref, or undefined. Throws `corrupt` where it has not the form of its kind. */
export async function findRef<V extends RefValue>(
  reader: Pick<Backend, 'ref'>,
  name: RefName<V>,
): Promise<V | undefined> {
  const value = await reader.ref(name)
  return value === undefined ? undefined : checkedValue(name, value)
}

/**
 * Yields the refs of a kind, in the order of names. Where a value has not the form of that kind, throws `corrupt`, or goes
 * on without it as the reader says.
 */
export async function* walkRefs<V extends RefValue>(
  reader: Pick<Reader, 'refs' | 'passedOver' | 'isStrict'>,
  prefix: RefPrefix<V>,
): AsyncGenerator<[RefName<V>, V]> {
  for await (const [name, value] of reader.refs(prefix)) {
    const typed = name as RefName<V>
    const problem = isTolerant(reader) ? refProblem(name, value) : undefined
    if (problem !== undefined) passOver(reader, name, problem)
    else yield [typed, checkedValue(typed, value)]
  }
}
