import { SessError } from '../model/errors.ts'
import type { RefName } from '../model/refname.ts'
import type { RefMove, RefValue } from './backend.ts'
import { refKey } from './keys.ts'
import { decodeRef, encodeRef } from './refvalue.ts'
import { seal, unseal } from './seal.ts'
import type { Table } from './table.ts'
import type { Put } from './writes.ts'

const utf8 = new TextDecoder()

const same = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0

const bytesOfValue = (value: RefValue | undefined): Uint8Array | undefined =>
  value === undefined ? undefined : encodeRef(value)

const bytesOfRef = (table: Table, name: RefName): Uint8Array | undefined => {
  const key = refKey(name)
  const value = table.get(key)
  return value === undefined ? undefined : unseal(key, value, `the ref ${name}`)
}

/** Gives the value of a ref, or undefined where there is none. */
export function readRef(table: Table, name: RefName): RefValue | undefined {
  const bytes = bytesOfRef(table, name)
  return bytes === undefined ? undefined : decodeRef(bytes)
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
    if (!same(bytesOfRef(table, name), bytesOfValue(old))) throw new SessError('conflict', name)
    const key = refKey(name)
    puts.push({ key, value: value === undefined ? undefined : seal(key, encodeRef(value)) })
  }
  return puts
}

/** Tells whether two values of a ref are the same. */
export const sameValue = (a: RefValue | undefined, b: RefValue | undefined): boolean =>
  same(bytesOfValue(a), bytesOfValue(b))
