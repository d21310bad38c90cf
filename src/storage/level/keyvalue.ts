import type { Key } from './keys.ts'

export type Pair = [key: Uint8Array, value: Uint8Array]

/** What lies between two keys, or on one side of one, in their order or the other way round. */
export interface Range {
  readonly gte?: Key
  readonly gt?: Key
  readonly lt?: Key
  readonly reverse?: boolean
}

/** Gives what lies in a range, so many at a time; none at its end. */
export interface Walk<T> {
  nextv(size: number): Promise<T[]>
  close(): Promise<void>
}

/** One change in a batch. */
export type Change =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array }

/** A database of bytes by bytes: what a table needs of an abstract-level. */
export interface Level {
  /** The folder that it lies in; a database in memory lies nowhere. */
  readonly location?: string
  getSync(key: Uint8Array): Uint8Array | undefined
  /** Writes all changes or none; with `sync` they are durable when this resolves. */
  batch(changes: readonly Change[], options: { readonly sync: boolean }): Promise<void>
  iterator(range: Range): Walk<Pair>
  keys(range: Range): Walk<Uint8Array>
  close(): Promise<void>
}
