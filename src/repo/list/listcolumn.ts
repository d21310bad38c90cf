import type { Json } from '../../model/json.ts'
import type { ByteSink, ByteSource } from '../../storage/columns/varint.ts'
import type { Fits } from './listfits.ts'

/**
 * The value that all rows have; or each value once, and which of them each row has; or the value of each row; or of
 * texts how many bytes they take behind all columns, in Latin-1 those that it can spell and in UTF-16 the others, and how
 * long each is.
 */
export type Column =
  | readonly [value: Json]
  | readonly [values: readonly Json[], which: readonly number[]]
  | readonly [latin: number, wide: number, lengths: readonly number[]]

/** In place of a length: there is no text. That of a text in UTF-16 is counted on from here, downwards. */
const NONE = -1

/** Lays out values in the shortest of these ways. What is not said of texts goes to the sink. */
export function columnOf(values: readonly Json[], sink: ByteSink): Column {
  const known = new Map<string, number>()
  const which = values.map((value) => {
    const text = JSON.stringify(value)
    const index = known.get(text) ?? known.size
    known.set(text, index)
    return index
  })
  if (known.size === 1) return [values[0] as Json]
  if (known.size <= values.length >> 1)
    return [[...known.keys()].map((text) => JSON.parse(text) as Json), which]
  return values.every(isText) ? textColumn(values, sink) : [values, []]
}

const isText = (value: Json): value is string | null => value === null || typeof value === 'string'

const WIDE = /[^\0-\xff]/

function textColumn(texts: readonly (string | null)[], sink: ByteSink): Column {
  const [narrow, wide] = [[] as string[], [] as string[]]
  const lengths = texts.map((text) => {
    if (text === null) return NONE
    const isWide = WIDE.test(text)
    ;(isWide ? wide : narrow).push(text)
    return isWide ? NONE - 1 - text.length : text.length
  })
  const latin = Buffer.from(narrow.join(''), 'latin1')
  const units = Buffer.from(wide.join(''), 'utf16le')
  sink.bytes(latin)
  sink.bytes(units)
  return [latin.length, units.length, lengths]
}

/** Columns as they were laid out, each read when it is first asked for. */
export class Columns {
  readonly #count: number
  readonly #columns: readonly Column[]
  readonly #texts: readonly (readonly [latin: Uint8Array, wide: Uint8Array])[]
  readonly #values: (readonly Json[])[] = []

  /** Of so many rows; the source has the texts. */
  constructor(columns: readonly Column[], source: ByteSource, count: number) {
    this.#count = count
    this.#columns = columns
    this.#texts = columns.map((column) =>
      column.length === 3 ? [source.bytes(column[0]), source.bytes(column[1])] : [NOTHING, NOTHING],
    )
  }

  /** Throws where not every row has a value that fits. */
  at(index: number, fits: Fits): readonly Json[] {
    const known = this.#values[index]
    if (known) return known
    const values = this.#read(index, fits)
    if (values.length !== this.#count) throw wrong()
    this.#values[index] = values
    return values
  }

  #read(index: number, fits: Fits): readonly Json[] {
    const column = this.#columns[index] as Column
    if (!partsOf(column).every(fits)) throw wrong()
    if (column.length === 1) return new Array<Json>(this.#count).fill(column[0])
    if (column.length === 3) return textsOf(...(this.#texts[index] as [Uint8Array, Uint8Array]), column[2])
    const [values, which] = column
    return which.length === 0 ? values : which.map((place) => valueAt(values, place))
  }
}

const wrong = (): RangeError => new RangeError('a column is not of its kind')

/** Gives the values of a column, each once where they recur; of texts one of each kind. */
function partsOf(column: Column): readonly Json[] {
  if (column.length === 1) return column
  if (column.length === 2) return column[0]
  return column[2].includes(NONE) ? ['', null] : ['']
}

function valueAt(values: readonly Json[], place: number): Json {
  const value = values[place]
  if (value === undefined || typeof place !== 'number') throw wrong()
  return value
}

const NOTHING = new Uint8Array(0)

function textsOf(narrow: Uint8Array, units: Uint8Array, lengths: readonly number[]): (string | null)[] {
  const latin = spelled(narrow, 'latin1')
  const wide = spelled(units, 'utf16le')
  let [end, wideEnd] = [0, 0]
  const texts = lengths.map((length) => {
    if (length >= 0) {
      end += length
      return latin.slice(end - length, end)
    }
    if (length === NONE) return null
    const from = wideEnd
    wideEnd += NONE - 1 - length
    return wide.slice(from, wideEnd)
  })
  if (end !== latin.length || wideEnd !== wide.length) throw wrong()
  return texts
}

const spelled = ({ buffer, byteOffset, length }: Uint8Array, encoding: 'latin1' | 'utf16le'): string =>
  Buffer.from(buffer, byteOffset, length).toString(encoding)
