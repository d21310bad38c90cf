import { isObject, type JsonObject } from '../../model/json.ts'
import type { Facts, Reader, Reading, RecordIndex } from '../format.ts'
import type { Unit } from '../unit.ts'
import type { PiDialect } from './dialect.ts'
import { PiReader } from './read.ts'

/** Says in pi's words, of version 3, where a record stands. What it says stays as it is. */
export interface Translator {
  translate(value: JsonObject, unit: Unit): JsonObject
  /** The branches that were named, by the ids of their newest records. */
  readonly branches?: ReadonlyMap<string, string> | undefined
  /** Where the agent stands: the id of a record, null before the first; undefined where the last record says it. */
  readonly leaf?: string | null | undefined
}

/** Reads records that say in other words than pi's where they stand. */
export class TranslatedReader implements Reader {
  readonly #reader: PiReader
  readonly #translator: Translator

  constructor(dialect: PiDialect, translator: Translator) {
    this.#reader = new PiReader(dialect)
    this.#translator = translator
  }

  read(unit: Unit): Reading {
    const { value } = unit
    return this.#reader.read(
      isObject(value) ? { ...unit, value: this.#translator.translate(value, unit) } : unit,
    )
  }

  active(): RecordIndex | null {
    const { leaf } = this.#translator
    if (leaf === undefined) return this.#reader.active()
    return leaf === null ? null : this.#reader.entryOf(leaf)
  }

  facts(): Facts {
    const { branches } = this.#translator
    return {
      ...this.#reader.facts(),
      ...(branches && { branches: this.#reader.entriesOf(branches) }),
    }
  }
}
