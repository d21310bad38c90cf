import { asString, type Json, type JsonObject, jsonText } from '../../model/json.ts'
import { hexOf } from '../core/uuid.ts'

/** A form of session files from or into which files can be migrated. `v1` to `v4` are versions of pi. */
export type MigrationShape = 'v1' | 'v2' | 'v3' | 'v4' | 'index-tree' | 'uuid-tree' | 'dash' | 'rollouts'

/** A record of a file that is turned into another. */
export interface LoadedRecord {
  readonly value: JsonObject
  /** Its number in the agent's loader, the header's being 0; undefined if the loader skips it. */
  readonly index?: number
}

/** Turns the records of a file of one shape, its header first, into those of another: equal records into equal ones. */
export interface MigrationStep {
  readonly from: MigrationShape
  readonly to: MigrationShape
  readonly migrate: (items: readonly LoadedRecord[]) => Iterable<JsonObject>
}

/** Returns the id of a session, from its header. */
export const sessionIdIn = (header: JsonObject | undefined): string => asString(header?.id) ?? ''

/** Names records one after the other, each by all before it: the same records get the same ids. */
export class RecordIds {
  readonly #taken = new Set<string>()
  #chain: string

  constructor(begin: string) {
    this.#chain = begin
  }

  /** Returns an id of 8 hex digits for the next record, or the one that it has where that is free. */
  next(value: JsonObject, own?: Json): string {
    this.#chain = hexOf(this.#chain, jsonText(value))
    let id = asString(own) ?? this.#chain.slice(0, 8)
    for (let n = 1; this.#taken.has(id); n++) id = hexOf(this.#chain, n).slice(0, 8)
    this.#taken.add(id)
    return id
  }
}
