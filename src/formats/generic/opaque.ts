import { defineFormat } from '../core/define.ts'
import type { Format } from '../core/format.ts'
import type { Splitter, Unit } from '../core/splitter.ts'

/** The size of a piece of an opaque source. */
const PIECE = 1024 * 1024

/** Splits a source that is not understood into units of 1 MiB without values; the rest is its tail. */
export function pieces(): Splitter {
  let piece = new Uint8Array(PIECE)
  let length = 0
  let line = 1
  return {
    push(bytes) {
      const units: Unit[] = []
      for (let at = 0; at < bytes.length; ) {
        const part = bytes.subarray(at, at + PIECE - length)
        piece.set(part, length)
        length += part.length
        at += part.length
        if (length < PIECE) break
        units.push({ line, bytes: piece, lead: 0, salvaged: false })
        line += newlines(piece)
        piece = new Uint8Array(PIECE)
        length = 0
      }
      return units
    },
    end: () => ({ units: [], tail: length > 0 ? [piece.slice(0, length)] : [] }),
  }
}

/** Counts the newlines in bytes. */
export function newlines(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++
  return count
}

/** Small files are many: none takes the room of a large piece. */
function asTheyCome(): Splitter {
  return {
    push: (bytes) => (bytes.length === 0 ? [] : [{ line: 1, bytes, lead: 0, salvaged: false }]),
    end: () => ({ units: [], tail: [] }),
  }
}

/** Any file: its bytes are kept and given back, and nothing in it is understood. */
export const opaque = defineFormat({
  name: 'bytes',
  conversational: false,
  detect: () => true,
  splitter: pieces,
  reader: () => ({ read: () => ({}), active: () => null, facts: () => ({}) }),
  entries: {},
})

/** A file beside a session: its bytes as they come, to the last of them in records. */
export const besides: Format = { ...opaque, splitter: asTheyCome }
