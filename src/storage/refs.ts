import { decode, encode } from '../model/canonical.ts'
import { SessError } from '../model/errors.ts'
import type { RefName } from '../model/refname.ts'
import type { RefMove, RefValue } from './backend.ts'
import { refKey } from './keys.ts'
import { seal, unseal } from './seal.ts'
import type { Table } from './table.ts'

const utf8 = new TextDecoder()

const same = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0

const bytesOfRef = (table: Table, name: RefName): Uint8Array | undefined => {
  const key = refKey(name)
  const value = table.get(key)
  return value === undefined ? undefined : unseal(key, value, `the ref ${name}`)
}

/** Gives the value of a ref, or undefined where there is none. */
export function readRef(table: Table, name: RefName): RefValue | undefined {
  const bytes = bytesOfRef(table, name)
  return bytes === undefined ? undefined : decode(bytes)
}

/** Gives the refs whose names begin with a prefix, in the order of names. */
export async function* readRefs(table: Table, prefix: string): AsyncGenerator<[RefName, RefValue]> {
  for await (const [key, value] of table.scan(refKey(prefix))) {
    const name = utf8.decode(key.subarray(1)) as RefName
    yield [name, decode(unseal(key, value, `the ref ${name}`))]
  }
}

/** Moves refs, all of them or, where one is not at its old value, none: then it throws `conflict`. */
export function moveRefs(table: Table, moves: readonly RefMove[]): void {
  for (const move of moves) {
    const old = move.old === undefined ? undefined : encode(move.old)
    if (!same(bytesOfRef(table, move.name), old)) throw new SessError('conflict', move.name)
  }
  for (const move of moves) {
    const key = refKey(move.name)
    table.put(key, move.new === undefined ? undefined : seal(key, encode(move.new)))
  }
}
