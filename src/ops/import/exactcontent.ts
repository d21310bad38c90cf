import type { ParsedEntry } from '../../formats/core/format.ts'
import type { Unit } from '../../formats/core/splitter.ts'
import { decode, encode } from '../../model/encoding/canonical.ts'
import { fill, subtract } from '../../model/envelope.ts'
import { isObject, isSame, type Json } from '../../model/json.ts'
import type { NewRecord } from '../../model/record.ts'
import { type RecordEncoder, sharedEncoder } from '../../model/recordencoder.ts'
import { spellingOf } from '../../model/spelling/jsonspelling.ts'

/**
 * Returns what is kept of a unit: its value without the body, and its spelling. Verifies that these yield the unit's
 * bytes; if they do not, the bytes themselves are kept. A compactly spelled unit is verified by filling its envelope
 * with the body, since the splitter has spelled it from its value; any other by spelling what is stored.
 */
export function contentOf(
  unit: Unit,
  entry: ParsedEntry | undefined,
  canonical: Uint8Array | undefined,
): NewRecord['content'] {
  const { value, text } = unit
  if (value === undefined || text === undefined || !isExact(unit, text)) return raw(unit)
  const body = entry ? entry.body : isObject(value) ? {} : undefined
  const envelope = subtract(value, body, entry?.bodyPath)
  if (unit.spelling === '' && isSame(fill(envelope, body), value)) return { ...envelope, spelling: '' }
  const { shape, values } = envelope
  const stored = { shape, values: decode(encode(values)) as readonly Json[] }
  const back = fill(stored, canonical ? decode(canonical) : body)
  const isKnown = unit.spelling !== undefined && isSame(back, value)
  const spelling = isKnown ? unit.spelling : spellingOf(back, text)
  return spelling === undefined ? raw(unit) : { shape, values, spelling }
}

/** Divides the value of a unit, which an encoder has encoded, into the body of its entry and what that lacks. */
export const divide = ({ value }: Unit, entry: ParsedEntry | undefined, encoder: RecordEncoder): void =>
  encoder.divide(entry ? entry.body : isObject(value) ? NO_BODY : undefined, entry?.bodyPath)

const NO_BODY = {}

/** Returns what is kept of a unit whose bytes an encoder has compared with its value (`RecordEncoder`), and divided. */
export function encodedContentOf(unit: Unit, encoder: RecordEncoder): NewRecord['content'] {
  const { value, text } = unit
  if (value === undefined || text === undefined || !isExact(unit, text)) return raw(unit)
  const spelling = unit.spelling ?? spellingOf(value, text)
  return spelling === undefined ? raw(unit) : encoder.envelope(spelling)
}

/** Returns whether the bytes of a unit are its text: bytes that are no UTF-8 are decoded as U+FFFD. */
const isExact = ({ bytes, lead }: Unit, text: string): boolean =>
  !text.includes('\ufffd') || Buffer.from(text).equals(bytes.subarray(lead))

const raw = ({ bytes, lead }: Unit): NewRecord['content'] => ({ raw: [bytes.slice(lead)] })

/** Returns an encoder that has encoded the value of a unit, if its bytes are exactly that encoding. */
export function exactEncoder({ value, bytes, lead }: Unit): RecordEncoder | undefined {
  if (value === undefined) return undefined
  const encoder = sharedEncoder()
  return encoder.match(value, bytes, lead, bytes.length) ? encoder : undefined
}
