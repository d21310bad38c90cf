import { asString, field, type Json, type JsonObject } from '../../model/json.ts'
import { defineFormat, entriesBy } from '../core/define.ts'
import type { Agent } from '../core/format.ts'
import type { Sample } from '../core/sample.ts'
import { BODIES, KINDS, PI } from './fields.ts'
import { TranslatedReader, type Translator } from './read.ts'
import { v1, v2, v4 } from './versions.ts'
import { view } from './view.ts'
import { writer } from './write.ts'

/** pi: it takes the file itself. */
const agent: Agent = {
  title: 'pi',
  resume: ({ path }) => ['pi', '--session', path],
  anywhere: true,
}

/** Returns whether a value is the header of pi's version 4. */
const isHeaderOfV4 = (value: Json | undefined): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  value.kind === 'header' &&
  'version' in value &&
  value.version === 4 &&
  'id' in value &&
  typeof value.id === 'string'

/** The lane that every session of version 4 has. */
const MAIN = 'main'

/**
 * Says what stands on the lines of version 4 in the words of version 3: entries as they are, lanes as branches, facts as
 * the records that were there for them. A file that does not begin as one of version 4 is left as it is.
 */
class V4 implements Translator {
  #lanes: Map<string, string | null> | undefined

  get branches(): ReadonlyMap<string, string> | undefined {
    if (!this.#lanes) return undefined
    return new Map(
      [...this.#lanes].flatMap(([lane, id]) => (id === null || lane === MAIN ? [] : [[lane, id]])),
    )
  }

  get leaf(): string | null | undefined {
    return this.#lanes && (this.#lanes.get(MAIN) ?? null)
  }

  translate(value: JsonObject): JsonObject {
    if (isHeaderOfV4(value) && !this.#lanes) {
      this.#lanes = new Map([[MAIN, null]])
      return { ...value, type: 'session', timestamp: value.createdAt ?? null }
    }
    if (!this.#lanes) return value
    const id = asString(value.id)
    const lane = asString(value.lane)
    switch (value.kind) {
      case 'entry':
        if (lane !== undefined && id !== undefined) this.#lanes.set(lane, id)
        return value
      case 'lane':
        if (lane !== undefined) this.#lanes.set(lane, asString(value.leafId) ?? null)
        return APART
      case 'fact':
        if (value.fact === 'label') return { ...value, ...APART, type: 'label' }
        return { ...value, ...APART, type: 'session_info' }
      default:
        return { ...APART, ...(id !== undefined && { id }), timestamp: value.timestamp ?? null }
    }
  }
}

/** What is no part of the tree. */
const APART: JsonObject = { type: 'custom', parentId: null }

/** The records of pi that no model sees. */
const OTHERS: ReadonlySet<string> = new Set(['custom', 'label', 'leaf', 'session_info', 'usage'])

/**
 * Returns whether a source is a session file of pi: its first object is pi's header, and some other record is
 * of a type that pi writes, where there are other records.
 */
export function detect({ lines: records }: Sample): boolean {
  const [first, ...rest] = records
  if (isHeaderOfV4(first)) return true
  if (!isHeader(first)) return false
  return rest.length === 0 || rest.some(isKnown)
}

const isKnown = (value: Json): boolean => {
  const type = field(value, 'type')
  return typeof type === 'string' && (KINDS.has(type) || OTHERS.has(type))
}

/**
 * Returns whether a value is the header of a pi session. Pi leaves `version` out of its first format, so that a
 * header of version 1 is Dash's; headers with a place in the tree (`parent`, `uuid`) are those of other
 * formats.
 */
const isHeader = (value: Json | undefined): boolean =>
  field(value, 'type') === 'session' &&
  typeof field(value, 'id') === 'string' &&
  field(value, 'version') !== 1 &&
  field(value, 'parent') === undefined &&
  field(value, 'uuid') === undefined

/**
 * The session files of pi, versions 1 (a line of records), 2 and 3 (a tree by `id` and `parentId`) and 4 (a log of lanes), and what
 * agents built upon it write in the same form, such as OpenClaw.
 */
export const pi = defineFormat({
  name: 'pi',
  detect,
  reader: () => new TranslatedReader(PI, new V4()),
  entries: entriesBy(BODIES, view),
  writer,
  agent,
  variants: { 'pi-v1': { writer: v1, agent }, 'pi-v2': { writer: v2, agent }, 'pi-v4': { writer: v4 } },
})
