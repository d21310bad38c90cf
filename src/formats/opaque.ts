import { OPAQUE } from '../model/view.ts'
import type { Format } from './format.ts'
import { pieces } from './pieces.ts'
import type { Splitter } from './unit.ts'

/** Any file: its bytes are kept and given back, and nothing in it is understood. */
export const opaque: Format = {
  name: 'bytes',
  dialect: 'bytes',
  reading: 1,
  conversational: false,
  detect: () => true,
  splitter: pieces,
  reader: () => ({ read: () => ({}), active: () => null, facts: () => ({}) }),
  view: () => OPAQUE,
}

/** A file beside a session: its bytes as they come, to the last of them in records. */
export const besides: Format = { ...opaque, splitter: asTheyCome }

/** Small files are many: none takes the room of a large piece. */
function asTheyCome(): Splitter {
  return {
    push: (bytes) => (bytes.length === 0 ? [] : [{ line: 1, bytes, lead: 0, salvaged: false }]),
    end: () => ({ units: [], tail: [] }),
  }
}
