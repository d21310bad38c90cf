import { OPAQUE } from '../model/view.ts'
import type { Format } from './format.ts'
import { pieces } from './pieces.ts'

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
