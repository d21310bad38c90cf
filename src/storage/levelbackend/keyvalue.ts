import { addChecksum } from '../checksum.ts'
import { type Key, keyText } from './keys.ts'

export type KeyValue = [key: Uint8Array, value: Uint8Array]

/** A range of keys, in ascending or descending order. */
export interface KeyRange {
  readonly gte?: Key
  readonly gt?: Key
  readonly lt?: Key
  readonly reverse?: boolean
}

/** Reads a range in batches; an empty batch is its end. */
export interface KeyCursor<T> {
  nextv(size: number): Promise<T[]>
  close(): Promise<void>
}

/** One change in a batch. */
export type KeyChange =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array }

/** The part of abstract-level that storage uses: a database with bytes as keys and values. */
export interface KeyValueDatabase {
  /** The folder that the database is in; undefined for one in memory. */
  readonly location?: string
  getSync(key: Uint8Array): Uint8Array | undefined
  /** Writes all changes or none; with `sync` they are durable when this resolves. */
  batch(changes: readonly KeyChange[], options: { readonly sync: boolean }): Promise<void>
  iterator(range: KeyRange): KeyCursor<KeyValue>
  keys(range: KeyRange): KeyCursor<Uint8Array>
  close(): Promise<void>
}

/** A pending write; an undefined value removes the key. */
export interface Put {
  readonly key: Key
  readonly value: Uint8Array | undefined
}

/** A put of a value with a checksum, which is computed only when the put is written: most puts are replaced before. */
export class ChecksummedPut implements Put {
  readonly key: Key
  /** The value without its checksum. Must not be changed any more. */
  readonly content: Uint8Array
  #text: string | undefined
  #value: Uint8Array | undefined

  constructor(key: Key, content: Uint8Array) {
    this.key = key
    this.content = content
  }

  /** The key as a text, computed once. */
  get text(): string {
    return (this.#text ??= keyText(this.key))
  }

  get value(): Uint8Array {
    return (this.#value ??= addChecksum(this.key, this.content))
  }
}

/** Returns the key of a put as a text. */
export const keyTextOf = (put: Put): string => (put instanceof ChecksummedPut ? put.text : keyText(put.key))
