import { SessError } from '../../model/errors.ts'
import { type RefMove, type RefValue, sameValue } from '../../model/operation.ts'
import type { RefName } from '../../model/refname.ts'
import { removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { LruCache } from '../lrucache.ts'
import { refKey } from './keys.ts'
import type { KeyValueStore } from './keyvaluestore.ts'
import { ChecksummedPut, type Put } from './put.ts'
import { decodeRef, encodeRef } from './refvalue.ts'

const utf8 = new TextDecoder()

/** The values of bytes that were just written or read, so that they are decoded once. */
const values = new WeakMap<Uint8Array, RefValue>()

/** So many refs of sessions are remembered, and of one session at most. */
const REMEMBERED = 4096
const OF_ONE = 512

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
    if (found && found.length <= OF_ONE && version === this.#store.version) this.#sessions.set(prefix, found)
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
