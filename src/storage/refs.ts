import { SessError } from '../model/errors.ts'
import type { RefName } from '../model/refname.ts'
import type { RefMove, RefValue } from './backend.ts'
import { refKey } from './keys.ts'
import { type Put, SealedPut } from './put.ts'
import { decodeRef, encodeRef } from './refvalue.ts'
import { unseal } from './seal.ts'
import type { Table } from './table.ts'

const utf8 = new TextDecoder()

/** The values of bytes that were just written or read, so that they are decoded once. */
const values = new WeakMap<Uint8Array, RefValue>()

/** Gives the value of a ref, or undefined where there is none. It is the same one as long as the ref does not move. */
export function readRef(table: Table, name: RefName): RefValue | undefined {
  const bytes = table.content(refKey(name), `the ref ${name}`)
  if (bytes === undefined) return undefined
  const known = values.get(bytes)
  if (known !== undefined) return known
  const value = decodeRef(bytes)
  values.set(bytes, value)
  return value
}

/** Gives the refs whose names begin with a prefix, in the order of names. */
export async function* readRefs(table: Table, prefix: string): AsyncGenerator<[RefName, RefValue]> {
  for await (const [key, value] of table.scan(refKey(prefix))) {
    const name = utf8.decode(key.subarray(1)) as RefName
    yield [name, decodeRef(unseal(key, value, `the ref ${name}`))]
  }
}

/** Gives what moves refs when it is put; throws `conflict` where one of them is not at its old value. */
export function refPuts(table: Table, moves: Iterable<RefMove>): Put[] {
  const puts: Put[] = []
  for (const { name, old, new: value } of moves) {
    if (!sameValue(readRef(table, name), old)) throw new SessError('conflict', name)
    const key = refKey(name)
    if (value === undefined) {
      puts.push({ key, value })
      continue
    }
    const bytes = encodeRef(value)
    values.set(bytes, value)
    puts.push(new SealedPut(key, bytes))
  }
  return puts
}

/** Tells whether two values of a ref are the same. */
export function sameValue(a: RefValue | undefined, b: RefValue | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined || typeof a !== 'object' || typeof b !== 'object') return false
  return Buffer.compare(encodeRef(a), encodeRef(b)) === 0
}
