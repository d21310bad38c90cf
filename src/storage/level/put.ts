import { addChecksum } from '../checksum.ts'
import { type Key, keyText } from './keys.ts'

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
