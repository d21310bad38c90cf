import type { Json, JsonObject } from '../../model/json.ts'
import type { RecordEncoder } from '../../model/recordencoder.ts'
import type { Spelling } from '../../model/spelling/jsonspelling.ts'

/** A problem that a reader noticed and the user should know of. Codes are API. */
export interface Warning {
  readonly code: string
  readonly message: string
}

/** One unit of a source: a JSON value with the bytes before it, or bytes that are no value. */
export interface Unit {
  /** The line on which the value begins, from 1. */
  readonly line: number
  /** All its bytes: those before the value, then the value as it was spelled. */
  readonly bytes: Uint8Array
  /** The number of bytes before the value. */
  readonly lead: number
  /** The value; undefined if the bytes are none. */
  readonly value?: Json | undefined
  /** The value's text, where there is a value. */
  readonly text?: string | undefined
  /** How that text spells the value, where that is known. */
  readonly spelling?: Spelling | undefined
  /** The encoder that encoded the value to prove that the bytes spell it: valid until anything is awaited. */
  readonly encoder?: RecordEncoder | undefined
  /** Whether it was recovered from a damaged line that agents would skip. */
  readonly salvaged: boolean
  readonly warning?: Warning | undefined
  /** For the first element of a list inside a value: that value with the list emptied. */
  readonly enclosing?: JsonObject
}

/** Splits the bytes of a source into units, in order. It keeps the bytes that are no complete unit yet. */
export interface Splitter {
  /** Takes the next bytes of a source and returns the units that are complete now. */
  push(bytes: Uint8Array): Unit[]
  /**
   * Does the same one unit at a time: all of them are to be asked for, and the bytes of each are valid until the next one
   * is. The bytes that it takes are copied.
   */
  each?(bytes: Uint8Array): Iterable<Unit>
  /**
   * Returns the number of newlines in the bytes that are no unit yet, if another splitter may begin with these bytes and
   * return the same units from there on; undefined where it may not. Without it, a source is always split from its start.
   */
  pendingLines?(): number | undefined
  /**
   * Ends the source: returns the units that only the end completes, and the tail, the bytes that are no complete unit
   * yet, in chunks; `torn` where they are the beginning of one.
   */
  end(): { readonly units: Unit[]; readonly tail: readonly Uint8Array[]; readonly torn?: boolean }
}

/** Returns the units of the next bytes of a source, one at a time if the splitter can. */
export const eachUnit = (splitter: Splitter, bytes: Uint8Array): Iterable<Unit> =>
  splitter.each?.(bytes) ?? splitter.push(bytes)

/** The size of the units of an opaque source. */
const UNIT_SIZE = 1024 * 1024

/** Splits a source that is not understood into units of 1 MiB without values; the rest is its tail. */
export function rawUnits(): Splitter {
  let buffer = new Uint8Array(UNIT_SIZE)
  let length = 0
  let line = 1
  return {
    push(bytes) {
      const units: Unit[] = []
      for (let at = 0; at < bytes.length; ) {
        const part = bytes.subarray(at, at + UNIT_SIZE - length)
        buffer.set(part, length)
        length += part.length
        at += part.length
        if (length < UNIT_SIZE) break
        units.push({ line, bytes: buffer, lead: 0, salvaged: false })
        line += newlines(buffer)
        buffer = new Uint8Array(UNIT_SIZE)
        length = 0
      }
      return units
    },
    end: () => ({ units: [], tail: length > 0 ? [buffer.slice(0, length)] : [] }),
  }
}

/** Counts the newlines in bytes. */
export function newlines(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++
  return count
}
