import { field, type Json } from '../../model/json.ts'
import type { Sample } from '../format.ts'
import { KINDS } from './body.ts'
import { isHeaderOfV4 } from './v4.ts'

/** The records of pi that no model sees. */
const OTHERS: ReadonlySet<string> = new Set(['custom', 'label', 'leaf', 'session_info', 'usage'])

/**
 * Tells whether a source is a session file of pi: its first object is pi's header, and some other record is
 * of a type that pi writes, where there are other records.
 */
export function detect({ lines }: Sample): boolean {
  const [first, ...rest] = lines
  if (isHeaderOfV4(first)) return true
  if (!isHeader(first)) return false
  return rest.length === 0 || rest.some(isKnown)
}

const isKnown = (value: Json): boolean => {
  const type = field(value, 'type')
  return typeof type === 'string' && (KINDS.has(type) || OTHERS.has(type))
}

/**
 * Tells whether a value is the header of a pi session. Pi leaves `version` out of its first format, so that a
 * header of version 1 is Dash's; headers with a place in the tree (`parent`, `uuid`) are those of other
 * formats.
 */
const isHeader = (value: Json | undefined): boolean =>
  field(value, 'type') === 'session' &&
  typeof field(value, 'id') === 'string' &&
  field(value, 'version') !== 1 &&
  field(value, 'parent') === undefined &&
  field(value, 'uuid') === undefined
