import { parseJson } from '../../model/value.ts'
import { OPEN, type Part, QUOTE, skipBlank } from './jsonscan.ts'
import type { Warning } from './splitter.ts'

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const LIST = 0x5b

/** Returns whether an object with a key, or what may become one, begins at a place. */
export const beginsObject = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === OPEN && bytes[skipBlank(bytes, at + 1)] === QUOTE

/** Follows the brackets of one value over as many pieces as it has. */
export class Brackets {
  #depth = 0
  #quoted = false
  #escaped = false

  /** Returns another one that stands where this one does. */
  copy(): Brackets {
    const copy = new Brackets()
    copy.#depth = this.#depth
    copy.#quoted = this.#quoted
    copy.#escaped = this.#escaped
    return copy
  }

  /** Takes what stands between two places, and gives where the value ends; undefined where it does not yet. */
  end(bytes: Uint8Array, from: number, to: number): number | undefined {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]
      if (this.#escaped) this.#escaped = false
      else if (this.#quoted) {
        if (byte === QUOTE) this.#quoted = false
        else this.#escaped = byte === 0x5c
      } else if (byte === QUOTE) this.#quoted = true
      else if (byte === OPEN || byte === LIST) this.#depth++
      else if (byte === 0x7d || byte === 0x5d) if (--this.#depth <= 0) return at + 1
    }
    return undefined
  }
}

/**
 * Returns the object that bytes spell but for control characters that stand raw inside its strings, newlines among them,
 * where JSON wants them escaped; the text is as it was.
 */
export function mendedValue(bytes: Uint8Array, from: number, to: number): Part | undefined {
  const text = utf8.decode(bytes.subarray(from, to))
  const mended = escaped(text)
  const value = mended === text && !text.includes('\n') ? undefined : parseJson(mended, true)?.value
  if (value === undefined) return undefined
  const lines = text.split('\n').length
  const warning = lines > 1 ? joined(lines) : RAW
  return { from, to, value, text, spelling: undefined, salvaged: true, warning }
}

const RAW: Warning = {
  code: 'raw-control',
  message: 'control characters stand raw inside its strings: it is read as if they were escaped',
}

const joined = (lines: number): Warning => ({
  code: 'broken-line',
  message: `newlines break it into ${lines} lines: they are read as one record`,
})

/** Returns a text with the control characters inside its strings escaped. */
const escaped = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\[^])*"/g, (string) => string.replace(/\p{Cc}/gu, unicode))

/** DEL and what follows it are control characters too, which JSON lets stand; escaped they mean the same. */
const unicode = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Returns whether a line begins a record of its own, so that it is no further line of one before it. */
export const beginsAnew = (bytes: Uint8Array, lineStart: number): boolean =>
  bytes[lineStart] === OPEN && bytes[lineStart + 1] === QUOTE
