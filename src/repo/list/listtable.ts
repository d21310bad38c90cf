import type { Json } from '../../model/json.ts'
import { bytesOf } from '../../model/oid.ts'
import { packNow, sizeOf, unpack } from '../../storage/blocks/block.ts'
import { ByteSink, ByteSource } from '../../storage/columns/varint.ts'
import { wellFormed } from '../../storage/fault.ts'
import { CELLS, type CellKey, type Cells, type ListTable } from './listcells.ts'
import { type Column, Columns, columnOf } from './listcolumn.ts'
import type { Listed } from './listed.ts'
import { FITS } from './listfits.ts'
import { MAPS, rowsBy } from './listrow.ts'

/** Changes with what a list says of a session and how: lists of another version are made anew. */
const VERSION = 2

/** Brotli's quality: a list is made anew as sessions come. */
const QUALITY = 5

/** What a table for people shows, and what else there is: each part is unpacked by itself. */
const PARTS: readonly (readonly CellKey[])[] = [
  ['id', 'format', 'title', 'opening', 'entries', 'tokens', 'cost', 'branches', 'head', 'updated'],
  ['remainder', 'cwd', 'records', 'prompts', 'calls', 'input', 'output', 'cacheRead', 'cacheWrite'],
  ['model', 'labels', 'set', 'parent', 'agents', 'created', 'source'],
]

/** Gives JSON in which other characters than those of ASCII are escaped: it is read twice as fast. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Lays out what a list says of sessions, by their ids: like beside like, packed, and behind it the oids that it names. */
export function encodeList(listed: readonly Listed[]): Uint8Array {
  const rows = listed.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const packed = PARTS.map((keys) => packNow(partOf(keys, rows), QUALITY))
  const sink = new ByteSink(packed.reduce((sum, { length }) => sum + length + 32 * rows.length, 16))
  sink.byte(VERSION)
  sink.varint(rows.length)
  for (const part of packed) {
    sink.varint(part.length)
    sink.bytes(part)
  }
  for (const key of MAPS)
    for (const row of rows) for (const oid of Object.values(row[key])) sink.bytes(bytesOf(oid))
  return sink.view()
}

function partOf(keys: readonly CellKey[], rows: readonly Listed[]): Uint8Array {
  const texts = new ByteSink(1 << 16)
  const columns = keys.map((key) =>
    columnOf(
      rows.map((row) => CELLS[key](row) as Json),
      texts,
    ),
  )
  const json = Buffer.from(asciiJson(columns), 'latin1')
  const sink = new ByteSink(json.length + texts.length + 8)
  sink.varint(json.length)
  sink.bytes(json)
  sink.bytes(texts.view())
  return sink.view()
}

/**
 * Gives what `encodeList` laid out, in the order of ids; undefined where another version did. Throws `corrupt`, also when a
 * column that nobody asked for before is asked for.
 */
export const decodeList = (bytes: Uint8Array): ListTable | undefined =>
  inList(() => {
    const table = opened(bytes)
    table?.column('id')
    return table
  })

const inList = <T>(read: () => T): T => wellFormed('the list of sessions', read)

function opened(bytes: Uint8Array): ListTable | undefined {
  const source = new ByteSource(bytes)
  if (source.byte() !== VERSION) return undefined
  const count = source.varint()
  const packed = PARTS.map(() => source.bytes(source.varint()))
  const [first = source.bytes(0)] = packed
  // Each row has an id of its own, which takes a byte and more.
  if (count > (sizeOf(first) ?? first.length)) throw new RangeError('there are fewer rows than it says')
  const oids = source.bytes(source.left)
  const parts: Columns[] = []
  const column = <K extends CellKey>(key: K): readonly Cells[K][] =>
    inList(() => {
      const part = PARTS.findIndex((keys) => keys.includes(key))
      const columns = (parts[part] ??= columnsOf(packed[part] as Uint8Array, count))
      const cells = columns.at((PARTS[part] ?? []).indexOf(key), FITS[key])
      return cells as readonly unknown[] as readonly Cells[K][]
    })
  let row: ((index: number) => Listed) | undefined
  return {
    count,
    column,
    row(index) {
      row ??= inList(() => rowsBy(column, oids))
      return row(index)
    },
  }
}

function columnsOf(packed: Uint8Array, count: number): Columns {
  const source = new ByteSource(unpack(packed))
  const { buffer, byteOffset, length } = source.bytes(source.varint())
  const json = Buffer.from(buffer, byteOffset, length).toString('latin1')
  return new Columns(JSON.parse(json) as readonly Column[], source, count)
}
