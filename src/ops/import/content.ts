import type { Said, Unit } from '../../formats/format.ts'
import { sliceOf } from '../../model/bytes.ts'
import { decode, encode } from '../../model/canonical.ts'
import { type Envelope, fill, subtract } from '../../model/envelope.ts'
import { isObject, isSame, type Json } from '../../model/json.ts'
import type { NewRecord } from '../../model/record.ts'
import { spellingOf } from '../../model/spelling.ts'
import { storedIn, storedValue } from '../../model/storedvalue.ts'

/**
 * Gives what is kept of a unit: its value without the body, and how it was spelled. What would be read back is put
 * together and compared with what was read; where the two differ, the bytes are kept as they are.
 */
export function contentOf(
  unit: Unit,
  entry: Said | undefined,
  canonical: Uint8Array | undefined,
): NewRecord['content'] {
  const { value, text } = unit
  if (value === undefined || text === undefined || unit.warning?.code === 'invalid-utf8') return raw(unit)
  const body = entry ? entry.body : isObject(value) ? {} : undefined
  const envelope = subtract(value, body, entry?.at)
  const stored = { shape: envelope.shape, values: valuesBack(encode(envelope.values)) }
  const back = canonical ? readBack(stored, canonical) : fill(stored, body)
  const isKnown = unit.spelling !== undefined && isSame(back, value)
  const spelling = isKnown ? unit.spelling : spellingOf(back, text)
  return spelling === undefined ? raw(unit) : { ...envelope, spelling }
}

/** Puts a record and the bytes of its body together as whoever reads them does. */
const readBack = (stored: Envelope, canonical: Uint8Array): Json =>
  storedIn(stored, sliceOf(canonical), noBlob) ?? fill(stored, decode(canonical))

/** Gives the values of a record as they are read back from their bytes. */
const valuesBack = (bytes: Uint8Array): readonly Json[] =>
  (storedValue(sliceOf(bytes), noBlob) ?? decode(bytes)) as readonly Json[]

/** Canonical bytes name no blob. */
const noBlob = (): string => {
  throw new RangeError('a body names a blob')
}

const raw = ({ bytes, lead }: Unit): NewRecord['content'] => ({ raw: [bytes.slice(lead)] })
