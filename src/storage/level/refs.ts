import { decodeStored, encodeBriefly } from '../../model/canonical.ts'
import { Laid } from '../../model/cbor.ts'
import { SessError } from '../../model/errors.ts'
import { isObject, type Json } from '../../model/json.ts'
import { oidOf } from '../../model/oid.ts'
import { type RefMove, type RefValue, sameValue } from '../../model/operation.ts'
import type { RefName } from '../../model/refname.ts'
import { removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { LruCache } from '../lrucache.ts'
import { refKey } from './keys.ts'
import { ChecksummedPut, type Put } from './keyvalue.ts'
import type { KeyValueStore } from './keyvaluestore.ts'

/** A JSON value in which hashes stand as bytes: half as long as their digits. */
type BinaryValue = Json | Uint8Array | readonly BinaryValue[] | { readonly [key: string]: BinaryValue }

/**
 * Gives the bytes in which a ref's value is stored: CBOR, each string of 32 or 64 hex digits, as ids and hashes are, as
 * the bytes that it spells.
 */
export const encodeRef = (value: Json): Uint8Array => {
  const laid = encodedOnce(value)
  return laid instanceof Laid ? laid.bytes : encodeBriefly(value)
}

/** Objects that were laid out: the same stand in a ref and in the operation that moves it, and in all that are joined onto it. */
const encoded = new WeakMap<object, Laid>()

/** Gives an object as it was laid out, to stand in a larger value; anything else as it is. */
export function encodedOnce(value: Json): Json | Laid {
  if (!isObject(value)) return value
  let laid = encoded.get(value)
  if (!laid) {
    laid = new Laid(encodeBriefly(value))
    encoded.set(value, laid)
  }
  return laid
}

/** Gives the value that `encodeRef` stored. */
export const decodeRef = (bytes: Uint8Array): Json => withHexDigits(decodeStored(bytes) as BinaryValue)

/** Puts digits in the place of bytes: what was just decoded is nobody else's, and lists read thousands of refs. */
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

const utf8 = new TextDecoder()

/** The values of bytes that were just written or read, so that they are decoded once. */
const values = new WeakMap<Uint8Array, RefValue>()

/** So many refs of sessions are remembered, and of one session at most. */
const REMEMBERED = 4096
const REMEMBERED_PER_SESSION = 512

const SESSION = /^sessions\/[^/]+\/$/

/** Gives the prefix that a ref shares with the others of its session; of other refs what is no prefix of a session. */
const sessionOf = (name: string): string => name.slice(0, name.indexOf('/', 9) + 1)

type Entry = readonly [RefName, RefValue]

/** Reads refs and puts them. Those of sessions that were read lately it remembers: a range takes several turns to read. */
export class Refs {
  readonly #store: KeyValueStore
  readonly #sessions = new LruCache<string, readonly Entry[]>(REMEMBERED, ({ length }) => length + 1)

  constructor(store: KeyValueStore) {
    this.#store = store
  }

  /** Gives the value of a ref, or undefined where there is none. It is the same one as long as the ref does not move. */
  read(name: RefName): RefValue | undefined {
    const bytes = this.#store.getChecked(refKey(name), `the ref ${name}`)
    if (bytes === undefined) return undefined
    const known = values.get(bytes)
    if (known !== undefined) return known
    const value = wellFormed(`the ref ${name}`, () => decodeRef(bytes))
    values.set(bytes, value)
    return value
  }

  /** Gives the refs whose names begin with a prefix, in the order of names. */
  async *range(prefix: string): AsyncGenerator<[RefName, RefValue]> {
    const known = this.#sessions.get(prefix)
    if (known) {
      for (const [name, value] of known) yield [name, value]
      return
    }
    const found: Entry[] | undefined = SESSION.test(prefix) ? [] : undefined
    const { version } = this.#store
    for await (const [key, value] of this.#store.scan(refKey(prefix))) {
      const name = utf8.decode(key.subarray(1)) as RefName
      const what = `the ref ${name}`
      const ref: [RefName, RefValue] = [
        name,
        wellFormed(what, () => decodeRef(removeChecksum(key, value, what))),
      ]
      found?.push(ref)
      yield ref
    }
    // What was put meanwhile may not be among them.
    if (found && found.length <= REMEMBERED_PER_SESSION && version === this.#store.version)
      this.#sessions.set(prefix, found)
  }

  /** Gives what moves refs when it is put; throws `conflict` where one of them is not at its old value. */
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

/** What the names of a session's refs begin with. */
const SESSION_PREFIX = /^sessions\/[^/]+\//

/** Gives names of refs in short: one that begins with the session of the name before it has `/` in its place. */
export function shortNames(names: readonly RefName[]): string[] {
  let before: string | undefined
  return names.map((name) => {
    const session = SESSION_PREFIX.exec(name)?.[0]
    const isSame = session !== undefined && session === before
    before = session
    return isSame ? `/${name.slice(session.length)}` : name
  })
}

/** Gives the names that `shortNames` made short. */
export function fullNames(names: readonly string[]): RefName[] {
  let before = ''
  return names.map((name) => {
    const full = name.startsWith('/') ? before + name.slice(1) : name
    before = SESSION_PREFIX.exec(full)?.[0] ?? ''
    return full as RefName
  })
}
