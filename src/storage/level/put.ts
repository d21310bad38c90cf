import { type Key, textOf } from './keys.ts'
import { seal } from '../checksum.ts'

/** A write that is not in its place yet; an undefined value removes the key. */
export interface Put {
  readonly key: Key
  readonly value: Uint8Array | undefined
}

/** A write of what stands behind a checksum at its place: that is computed once it goes there, which few of many do. */
export class SealedPut implements Put {
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
    return (this.#text ??= textOf(this.key))
  }

  get value(): Uint8Array {
    return (this.#value ??= seal(this.key, this.content))
  }
}

/** Gives the key of a put as a text. */
export const textOfPut = (put: Put): string => (put instanceof SealedPut ? put.text : textOf(put.key))
