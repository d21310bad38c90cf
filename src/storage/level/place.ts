import { BlobRef } from '../../model/canonical.ts'
import { removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { ByteReader, ByteWriter } from '../varint.ts'
import { type Key, numberAt } from './keys.ts'
import type { Row } from './storedrecord.ts'

/** Bytes of a place in its long form: block in 6, index in 4. */
const LONG = 10

/** Gives where an item stands: its block and its index there as varints; where those are long, in 6 and 4 bytes. */
export function encodeBlobRef(block: number, index: number): Uint8Array {
  const sink = new ByteWriter(16)
  sink.varint(block)
  sink.varint(index)
  if (sink.length < LONG) return sink.view()
  const place = new Uint8Array(LONG)
  const view = new DataView(place.buffer)
  view.setUint16(0, Math.floor(block / 2 ** 32))
  view.setUint32(2, block % 2 ** 32)
  view.setUint32(6, index)
  return place
}

const WHAT = 'the place of a blob'

/** Gives the place that stands behind a checksum under a key. Throws `corrupt`. */
export const decodeBlobRef = (key: Key, value: Uint8Array): BlobRef =>
  wellFormed(WHAT, () => readPlace(removeChecksum(key, value, WHAT)))

/** Gives the place that `placeOf` laid out. */
function readPlace(place: Uint8Array): BlobRef {
  if (place.length >= LONG) return new BlobRef(numberAt(place, 0, 6), numberAt(place, 6, 4))
  const source = new ByteReader(place)
  return new BlobRef(source.varint(), source.varint())
}

/** Bytes of a row in the index of oids where a key has several; one alone stands in as few as it needs. */
const ROW = 6

/** Gives the rows that an index value lists. */
export function decodeRows(value: Uint8Array): Row[] {
  if (value.length > 0 && value.length < ROW) return [numberAt(value, 0, value.length)]
  const rows: Row[] = []
  for (let at = 0; at + ROW <= value.length; at += ROW) rows.push(numberAt(value, at, ROW))
  return rows
}

/** Tells whether an index value may list rows. */
export const areRows = ({ length }: Uint8Array): boolean => length > 0 && (length < ROW || length % ROW === 0)

/** Gives what the index of oids holds, with one more row: entries whose oids begin alike share a key. */
export function addRow(value: Uint8Array | undefined, row: Row): Uint8Array {
  const before = value ? decodeRows(value) : []
  const width = before.length === 0 ? widthOf(row) : ROW
  // From a pool: of a small array of its own the engine would make memory of its own once LevelDB is told of it.
  const next = Buffer.allocUnsafe(width * (before.length + 1))
  for (let i = 0; i < before.length; i++) writeRow(next, i * width, width, before[i] as Row)
  writeRow(next, before.length * width, width, row)
  return next
}

function widthOf(row: Row): number {
  let width = 1
  for (let end = 256; row >= end; end *= 256) width++
  return width
}

function writeRow(into: Uint8Array, from: number, width: number, row: Row): void {
  let rest = row
  for (let at = from + width - 1; at >= from; at--) {
    into[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
}
