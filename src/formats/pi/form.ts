import type { Json, JsonObject } from '../../model/json.ts'
import type { Setting, View } from '../../model/view.ts'
import type { Loss, LossCode } from '../losses.ts'
import type { Draft } from '../write.ts'

/** A record without its place in the tree. */
export type Fields = JsonObject & { readonly type: string }

/** What sets one form of pi's files apart from others when sessions are written in it. */
export interface PiForm {
  /** The part of the types of its own entries before the slash. */
  readonly dialect: string
  /** What a record means. */
  readonly view: (kind: string, body: Json) => View
  /** The role of what is said besides user and model. */
  readonly system: 'system' | 'developer' | 'user'
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
  /** Gives a record of pi as a form has it that is older or knows less, and what that does not carry; all unless said. */
  readonly fit?: (fields: Fields) => Fitted
  /** Begins a file. */
  readonly begin: () => Spelling
}

/** A record as a form has it, if it does; the loss where that is not what was said. */
export interface Fitted {
  readonly fields?: Fields
  readonly loss?: LossCode
}

/** How the lines of one file are spelled, in their order. */
export interface Spelling {
  /** Gives what stands before the records. */
  readonly header: (draft: Draft) => readonly JsonObject[]
  /** Gives what stands in the file for a record of pi, version 3. */
  readonly record: (record: JsonObject) => Iterable<JsonObject>
  /** Gives what stands at the end. */
  readonly end?: () => Iterable<JsonObject>
}
