import { field, type Json } from '../../model/json.ts'
import { defineFormat } from '../core/define.ts'
import type { Agent } from '../core/format.ts'
import type { Sample } from '../core/sample.ts'
import { ENTRIES } from './entries.ts'
import { KNOWN, PASSED } from './known.ts'
import { isPiHeader, PI, TranslatedReader } from './read.ts'
import { isHeaderOfV4, V4Translator } from './v4.ts'
import { writer } from './write.ts'
import { v1, v2, v4 } from './writeversions.ts'

/** pi: it takes the file itself. */
const agent: Agent = {
  title: 'pi',
  resume: ({ path }) => ['pi', '--session', path],
  anywhere: true,
}

/**
 * Returns whether a source is a session file of pi: its first object is pi's header, and if there are other records,
 * one is of a type that pi writes.
 */
export function detect({ lines: records }: Sample): boolean {
  const [first, ...rest] = records
  if (isHeaderOfV4(first)) return true
  if (!isPiHeader(first)) return false
  return rest.length === 0 || rest.some(isKnown)
}

const isKnown = (value: Json): boolean => {
  const type = field(value, 'type')
  return (
    typeof type === 'string' && (Object.hasOwn(ENTRIES, type) || (PASSED as readonly string[]).includes(type))
  )
}

/**
 * The session files of pi, versions 1 (a line of records), 2 and 3 (a tree by `id` and `parentId`) and 4 (a log of lanes), and what
 * agents built upon it write in the same form, such as OpenClaw.
 */
export const pi = defineFormat({
  name: 'pi',
  detect,
  reader: () => new TranslatedReader(PI, new V4Translator()),
  entries: ENTRIES,
  known: KNOWN,
  writer,
  agent,
  variants: { 'pi-v1': { writer: v1, agent }, 'pi-v2': { writer: v2, agent }, 'pi-v4': { writer: v4 } },
})
