import { decodeStored, encodeBriefly } from '../../model/encoding/canonical.ts'
import { oidOf } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { isObject, type Json } from '../../model/json.ts'
import { type RefMove, type RefValue, sameValue } from '../../model/operation.ts'
import type { RefName } from '../../model/refname.ts'
import type { SessionMemory } from '../backend.ts'
import { CHECKSUM_BYTES, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { LruCache } from '../lrucache.ts'
import { type Key, prefixEnd, refKey } from './keys.ts'
import { ChecksummedPut, type Put } from './keyvalue.ts'
import type { KeyValueStore } from './keyvaluestore.ts'

/** A JSON value with hashes as bytes, which are half as long as their digits. */
type BinaryValue = Json | Uint8Array | readonly BinaryValue[] | { readonly [key: string]: BinaryValue }

/** Encodes a ref's value as CBOR; strings of 32 or 64 hex digits, such as ids and hashes, are stored as bytes. */
export const encodeRef: (value: Json) => Uint8Array = encodeBriefly

/** Decodes a value that `encodeRef` encoded. */
export const decodeRef = (bytes: Uint8Array): Json => withHexDigits(decodeStored(bytes) as BinaryValue)

/** Replaces bytes by their digits, in place: the value was just decoded, and lists read thousands of refs. */
function withHexDigits(value: BinaryValue): Json {
  if (value instanceof Uint8Array)
    return value.length === 32 ? oidOf(value) : Buffer.from(value).toString('hex')
  if (Array.isArray(value) || isObject(value as Json)) {
    const parts = value as { [key: string]: BinaryValue }
    for (const key of Object.keys(parts)) {
      const child = parts[key] as BinaryValue
      if (typeof child === 'object' && child !== null) parts[key] = withHexDigits(child)
    }
  }
  return value as Json
}

/** Returns the version of a ref by its stored value. */
export const versionOf = (value: Uint8Array): string =>
  Buffer.from(value.subarray(0, CHECKSUM_BYTES)).toString('hex')

const utf8 = new TextDecoder()

/** Returns the key that comes next after another. */
const keyAfter = (key: Key): Key => Buffer.concat([key, new Uint8Array(1)])

/** Decoded values by their bytes. */
const values = new WeakMap<Uint8Array, RefValue>()

/** Sessions are remembered up to so many refs in all. */
const REMEMBERED = 16_384

/**
 * Returns the prefix that a ref shares with the other refs of its session; of another ref, a text that is no such
 * prefix.
 */
const sessionOf = (name: string): string => name.slice(0, name.indexOf('/', 9) + 1)

/** An object that was made of the refs of a session. */
interface Remembered {
  readonly made: object
  readonly refs: number
}

/** Reads and moves refs. */
export class Refs {
  readonly #store: KeyValueStore
  readonly #sessions = new LruCache<string, Remembered>(REMEMBERED, ({ refs }) => refs + 1)

  constructor(store: KeyValueStore) {
    this.#store = store
  }

  /** Returns the value of a ref, or undefined. It is the same object until the ref moves. */
  read(name: RefName): RefValue | undefined {
    const bytes = this.#store.getChecked(refKey(name), `the ref ${name}`)
    if (bytes === undefined) return undefined
    const known = values.get(bytes)
    if (known !== undefined) return known
    const value = wellFormed(`the ref ${name}`, () => decodeRef(bytes))
    values.set(bytes, value)
    return value
  }

  /** Returns a text that identifies the value of a ref: the checksum of its name and value. */
  version(name: RefName): string | undefined {
    const value = this.#store.get(refKey(name))
    return value && versionOf(value)
  }

  /** Returns the memory of what was made of the refs with the prefix of a session. */
  session(prefix: string): SessionMemory {
    const { version } = this.#store
    return {
      known: this.#sessions.get(prefix)?.made,
      remember: (made, refs) => {
        // It may lack what was put since.
        if (version === this.#store.version) this.#sessions.set(prefix, { made, refs })
      },
    }
  }

  /** Yields the refs whose names begin with a prefix and come after a text, in the order of names. */
  async *range(prefix: string, after = ''): AsyncGenerator<[RefName, RefValue]> {
    const all = refKey(prefix)
    const next = keyAfter(refKey(after))
    const from = Buffer.compare(next, all) < 0 ? all : next
    for await (const [key, value] of this.#store.range(from, prefixEnd(all))) {
      const name = utf8.decode(key.subarray(1)) as RefName
      const what = `the ref ${name}`
      yield [name, wellFormed(what, () => decodeRef(removeChecksum(key, value, what)))]
    }
  }

  /** Returns the puts of moves of refs. Throws `conflict` where a ref does not have its old value. */
  puts(moves: Iterable<RefMove>): Put[] {
    const puts: Put[] = []
    for (const { name, old, new: value } of moves) {
      if (!sameValue(this.read(name), old)) throw new SessError('conflict', name)
      this.#sessions.delete(sessionOf(name))
      const key = refKey(name)
      if (value === undefined) {
        puts.push({ key, value })
        continue
      }
      const bytes = encodeRef(value)
      values.set(bytes, value)
      puts.push(new ChecksummedPut(key, bytes))
    }
    return puts
  }
}

/** The prefix of a session's refs at the beginning of a name. */
const SESSION_PREFIX = /^sessions\/[^/]+\//

/** Returns names of refs with the prefix of a session shortened to `/` where the previous name has the same. */
export function shortNames(names: readonly RefName[]): string[] {
  let before: string | undefined
  return names.map((name) => {
    const session = SESSION_PREFIX.exec(name)?.[0]
    const isSame = session !== undefined && session === before
    before = session
    return isSame ? `/${name.slice(session.length)}` : name
  })
}

/** Returns the names that `shortNames` shortened. */
export function fullNames(names: readonly string[]): RefName[] {
  let before = ''
  return names.map((name) => {
    const full = name.startsWith('/') ? before + name.slice(1) : name
    before = SESSION_PREFIX.exec(full)?.[0] ?? ''
    return full as RefName
  })
}
