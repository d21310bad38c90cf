import { addChecksum } from '../checksum.ts'
import { type Key, keyText } from './keys.ts'

export type Pair = [key: Uint8Array, value: Uint8Array]

/** What lies between two keys, or on one side of one, in their order or the other way round. */
export interface KeyRange {
  readonly gte?: Key
  readonly gt?: Key
  readonly lt?: Key
  readonly reverse?: boolean
}

/** Gives what lies in a range, so many at a time; none at its end. */
export interface Cursor<T> {
  nextv(size: number): Promise<T[]>
  close(): Promise<void>
}

/** One change in a batch. */
export type KeyChange =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array }

/** A database of bytes by bytes: what a table needs of an abstract-level. */
export interface KeyValueDatabase {
  /** The folder that it lies in; a database in memory lies nowhere. */
  readonly location?: string
  getSync(key: Uint8Array): Uint8Array | undefined
  /** Writes all changes or none; with `sync` they are durable when this resolves. */
  batch(changes: readonly KeyChange[], options: { readonly sync: boolean }): Promise<void>
  iterator(range: KeyRange): Cursor<Pair>
  keys(range: KeyRange): Cursor<Uint8Array>
  close(): Promise<void>
}

/** A write that is not in its place yet; an undefined value removes the key. */
export interface Put {
  readonly key: Key
  readonly value: Uint8Array | undefined
}

/** A write of what stands behind a checksum at its place: that is computed once it goes there, which few of many do. */
export class ChecksummedPut implements Put {
  readonly key: Key
  /** What the checksum is put before; not to be written to any more. */
  readonly content: Uint8Array
  #text: string | undefined
  #value: Uint8Array | undefined

  constructor(key: Key, content: Uint8Array) {
    this.key = key
    this.content = content
  }

  /** The key as a text, made once for all who look for it. */
  get text(): string {
    return (this.#text ??= keyText(this.key))
  }

  get value(): Uint8Array {
    return (this.#value ??= addChecksum(this.key, this.content))
  }
}

/** Gives the key of a put as a text. */
export const keyTextOf = (put: Put): string => (put instanceof ChecksummedPut ? put.text : keyText(put.key))
