import { field, type Json } from '../../model/json.ts'
import type { Sample } from '../format.ts'
import { OWN } from './dialect.ts'

/** The fields of a header that pi does not have. */
const FIELDS = [
  'title',
  'titleSource',
  'additionalDirectories',
  'previousSessionFiles',
  'providerPromptCacheKey',
]

/**
 * Tells whether a source is a session file of oh-my-pi, which says version 3 as pi does: by its title line, by its header,
 * by a record that pi does not write, or by where it keeps them. A file without any is the same in both.
 */
export const detect = ({ lines, above }: Sample): boolean => {
  const [header, ...records] = field(lines[0], 'type') === 'title' ? lines.slice(1) : lines
  if (!isHeader(header)) return false
  return (
    header !== lines[0] ||
    above?.includes('.omp') === true ||
    FIELDS.some((name) => field(header, name) !== undefined) ||
    records.some(isOwn)
  )
}

const isHeader = (value: Json | undefined): boolean =>
  field(value, 'type') === 'session' &&
  typeof field(value, 'id') === 'string' &&
  field(value, 'version') !== 1 &&
  field(value, 'parent') === undefined &&
  field(value, 'uuid') === undefined

/** It names a model `provider/id`, where pi has two fields; and what an extension made by another word. */
const isOwn = (value: Json): boolean => {
  const type = field(value, 'type')
  if (type === 'model_change') return typeof field(value, 'model') === 'string'
  if (type === 'compaction' || type === 'branch_summary') return field(value, 'fromExtension') !== undefined
  return typeof type === 'string' && OWN.has(type)
}
