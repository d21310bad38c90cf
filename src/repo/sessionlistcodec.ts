import { decodeStored, encode } from '../model/canonical.ts'
import { isOid } from '../model/oid.ts'
import { wellFormed } from '../storage/ioerrors.ts'
import { compressNow, decompress } from '../storage/level/block.ts'
import type { Listed } from './listedsession.ts'

export type Field = keyof Listed

/** Rows of a list by field: each column has one cell for each session. */
export type Columns<F extends Field = Field> = { readonly [K in F]: readonly Listed[K][] }

/** Returns whether a value is one that a cell of a column may hold. */
type Check = (cell: unknown) => boolean

const isText: Check = (cell) => typeof cell === 'string'
const isNumber: Check = (cell) => Number.isFinite(cell)
const isTime: Check = (cell) => typeof cell === 'string' && Number.isFinite(Date.parse(cell))
const orNull =
  (check: Check): Check =>
  (cell) =>
    cell === null || check(cell)
const mapOf =
  (check: Check): Check =>
  (cell) =>
    typeof cell === 'object' &&
    cell !== null &&
    Object.getPrototypeOf(cell) === Object.prototype &&
    Object.values(cell).every(check)
const oids = mapOf((value) => typeof value === 'string' && isOid(value))

/** The check of each column. */
const CHECKS: { readonly [F in Field]: Check } = {
  id: isText,
  format: isText,
  title: orNull(isText),
  prompt: orNull(isText),
  cwd: orNull(isText),
  entries: isNumber,
  records: isNumber,
  prompts: isNumber,
  calls: isNumber,
  tokens: orNull(mapOf(isNumber)),
  cost: orNull(isNumber),
  model: orNull(isText),
  branches: oids,
  labels: oids,
  set: mapOf(isText),
  head: orNull(isText),
  parent: orNull(isText),
  agents: oids,
  created: orNull(isTime),
  updated: orNull(isTime),
  source: orNull(isText),
  state: (cell) => typeof cell === 'string' && isOid(cell),
}

/** All fields, in the order in which `Listed` declares them. */
export const FIELDS = Object.keys(CHECKS) as readonly Field[]

/** Returns the columns of rows. */
export const columnsOf = <F extends Field>(rows: readonly Listed[], fields: readonly F[]): Columns<F> =>
  Object.fromEntries(fields.map((field) => [field, rows.map((row) => row[field])])) as unknown as Columns<F>

/** Returns the row at an index. */
export const rowAt = (columns: Columns, index: number): Listed =>
  Object.fromEntries(FIELDS.map((field) => [field, columns[field][index]])) as unknown as Listed

export const rowsOf = (columns: Columns): Listed[] => columns.id.map((_, i) => rowAt(columns, i))

/** Returns whether each cell of some columns is one that a list may keep. */
export const isSound = (columns: Partial<Columns>): boolean =>
  Object.entries(columns).every(([field, cells]) => cells.every(CHECKS[field as Field]))

/** Brotli's quality: a list is written again as sessions come. */
const QUALITY = 5

const utf8 = new TextEncoder()

/**
 * Encodes a list: a CBOR map of columns, each compressed on its own, so that it is read on its own. A column is JSON:
 * a command reads it once, and `JSON.parse` needs no warm-up (`sess ls` of 10,000 sessions: 60 ms less than with CBOR).
 */
export const encodeList = (columns: Columns): Uint8Array =>
  encode(
    Object.fromEntries(
      FIELDS.map(
        (field) => [field, compressNow(utf8.encode(JSON.stringify(columns[field])), QUALITY)] as const,
      ),
    ),
  )

const textOf = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString()

/** Decodes some columns of a list of so many sessions. Throws `corrupt` where a column is missing or not sound. */
export const decodeList = <F extends Field>(
  bytes: Uint8Array,
  sessions: number,
  fields: readonly F[],
): Columns<F> =>
  wellFormed('the list of sessions', () => {
    const packed = decodeStored(bytes) as { readonly [field: string]: Uint8Array }
    const columns = Object.fromEntries(
      fields.map((field) => [field, JSON.parse(textOf(decompress(packed[field] as Uint8Array)))]),
    ) as unknown as Columns<F>
    const areWhole = fields.every(
      (field) => Array.isArray(columns[field]) && columns[field].length === sessions,
    )
    if (!areWhole || !isSound(columns)) throw new RangeError('a column is not of its kind')
    return columns
  })
