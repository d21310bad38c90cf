import { asString, field, isObject, type Json } from '../model/json.ts'
import { defineFormat, entriesBy } from './core/define.ts'
import type { Sample } from './core/format.ts'
import { BODIES, PI } from './pi/fields.ts'
import { PiReader } from './pi/read.ts'
import { view } from './pi/view.ts'

/** Without a mark of OpenClaw a file is the same in both agents, and is pi's but where OpenClaw keeps its own. */
function detect({ lines: [header, ...records], above }: Sample): boolean {
  const id = field(header, 'id')
  if (field(header, 'type') !== 'session' || typeof id !== 'string') return false
  if (field(header, 'version') !== 3 && typeof field(header, 'version') !== 'string') return false
  return (
    typeof field(header, 'version') === 'string' ||
    above?.includes('.openclaw') === true ||
    records.some((record) => isOwn(record, id))
  )
}

/** It hangs the first records on the session, and puts its name before what it adds and says itself. */
const isOwn = (record: Json, id: string): boolean =>
  isObject(record) &&
  (record.parentId === id ||
    /^openclaw\b/.test(asString(record.customType) ?? '') ||
    field(record.message, 'provider') === 'openclaw')

/**
 * The sessions of OpenClaw: the tree of pi, version 3, as an agent writes it that has pi inside. The first records may
 * name the session as their parent, and a tool's result its call.
 */
export const openclaw = defineFormat({
  name: 'openclaw',
  detect,
  reader: () => new PiReader({ ...PI, name: 'openclaw' }),
  entries: entriesBy(BODIES, view),
})
