import { asString, type Json, type JsonObject } from '../../model/json.ts'
import type { Translator } from './read.ts'

/** Returns whether a value is the header of pi's version 4. */
export const isHeaderOfV4 = (value: Json | undefined): boolean =>
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
 * Translates the lines of version 4 into version 3: entries as they are, lanes as branches, facts as the record types
 * that version 3 has for them. A file without a header of version 4 is left unchanged.
 */
export class V4Translator implements Translator {
  private lanes: Map<string, string | null> | undefined

  get branches(): ReadonlyMap<string, string> | undefined {
    if (!this.lanes) return undefined
    return new Map(
      [...this.lanes].flatMap(([lane, id]) => (id === null || lane === MAIN ? [] : [[lane, id]])),
    )
  }

  get leaf(): string | null | undefined {
    return this.lanes && (this.lanes.get(MAIN) ?? null)
  }

  translate(value: JsonObject): JsonObject {
    if (isHeaderOfV4(value) && !this.lanes) {
      this.lanes = new Map([[MAIN, null]])
      return { ...value, type: 'session', timestamp: value.createdAt ?? null }
    }
    if (!this.lanes) return value
    const id = asString(value.id)
    const lane = asString(value.lane)
    switch (value.kind) {
      case 'entry':
        if (lane !== undefined && id !== undefined) this.lanes.set(lane, id)
        return value
      case 'lane':
        if (lane !== undefined) this.lanes.set(lane, asString(value.leafId) ?? null)
        return APART
      case 'fact':
        if (value.fact === 'label') return { ...value, ...APART, type: 'label' }
        return { ...value, ...APART, type: 'session_info' }
      default:
        return { ...APART, ...(id !== undefined && { id }), timestamp: value.timestamp ?? null }
    }
  }
}

/** A record that is no part of the tree. */
const APART: JsonObject = { type: 'custom', parentId: null }
