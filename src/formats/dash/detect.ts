import { field } from '../../model/json.ts'
import type { Sample } from '../format.ts'

/** Tells whether a source is a session file of Dash: its first object is a header that says version 1. */
export const detect = ({ lines: [first] }: Sample): boolean =>
  field(first, 'type') === 'session' &&
  field(first, 'version') === 1 &&
  typeof field(first, 'id') === 'string' &&
  field(first, 'parent') === undefined &&
  field(first, 'uuid') === undefined
