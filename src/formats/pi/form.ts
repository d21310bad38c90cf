import type { Json, JsonObject } from '../../model/json.ts'
import type { Setting, View } from '../../model/view.ts'
import type { Loss } from '../losses.ts'
import type { Draft } from '../write.ts'
import type { Fields } from './records.ts'

/** What sets one form of pi's files apart from others when sessions are written in it. */
export interface PiForm {
  /** The part of the types of its own entries before the slash. */
  readonly dialect: string
  /** What a record means. */
  readonly view: (kind: string, body: Json) => View
  /** The role of what is said besides user and model. */
  readonly system: 'system' | 'developer'
  /** Whether it has edits of what was said, and modes. */
  readonly edits: boolean
  readonly modes: boolean
  /** Gives the fields that name a model. */
  readonly model: (model: NonNullable<Setting['model']>) => JsonObject
  /** Whether it has labels. */
  readonly labels: boolean
  /** Gives the record that names the session; undefined where its header does, a loss where nothing can. */
  readonly title: (name: string) => Fields | Loss | undefined
  /** Gives the record that names what it continues as a branch; without it branches have no names. */
  readonly head?: (name: string) => Fields
  /**
   * Where a message is words alone, and nothing but messages, compactions and labels is a record: tells whether a record
   * says anything.
   */
  readonly says?: (fields: Fields) => boolean
  /** Begins a file. */
  readonly begin: () => Spelling
}

/** How the lines of one file are spelled, in their order. */
export interface Spelling {
  /** Gives what stands before the records. */
  readonly header: (draft: Draft) => readonly JsonObject[]
  /** Gives a record as it stands in the file, from one of pi, version 3. */
  readonly record: (record: JsonObject) => JsonObject
}
