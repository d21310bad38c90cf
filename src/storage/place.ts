import type { Row } from './record.ts'

/** Gives where an item stands: the number of its block in 6 bytes, its index there in 4. */
export function placeOf(block: number, index: number): Uint8Array {
  const place = new Uint8Array(10)
  const view = new DataView(place.buffer)
  view.setUint16(0, Math.floor(block / 2 ** 32))
  view.setUint32(2, block % 2 ** 32)
  view.setUint32(6, index)
  return place
}

/** Gives what the index of oids holds, with one more row in 6 bytes: entries whose oids begin alike share a key. */
export function withRow(value: Uint8Array | undefined, row: Row): Uint8Array {
  const known = value ?? new Uint8Array(0)
  const next = new Uint8Array(known.length + 6)
  next.set(known)
  const view = new DataView(next.buffer)
  view.setUint16(known.length, Math.floor(row / 2 ** 32))
  view.setUint32(known.length + 2, row % 2 ** 32)
  return next
}
