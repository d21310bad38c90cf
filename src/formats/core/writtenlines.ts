import { type Json, jsonText } from '../../model/json.ts'
import type { Oid } from '../../model/oid.ts'
import type { Setting } from '../../model/view.ts'
import type { Loss, LossCode } from './losses.ts'
import { uuidOf } from './uuid.ts'
import type { Draft, Index, WrittenLine } from './writer.ts'

/** Returns a value as a line, with the entry that it represents. */
export const lineOf = (value: Json, entry?: Index): WrittenLine => ({
  text: `${jsonText(value)}\n`,
  ...(entry !== undefined && { entry }),
})

/** Returns the losses of an entry, by their codes. */
export const lossesOf = (oid: Oid, codes: Iterable<LossCode>): Loss[] =>
  Array.from(codes, (code) => ({ code, oid }))

/** Returns the losses of a format that has no labels. */
export const lostLabels = ({ labels }: Draft): Loss[] =>
  Array.from(labels.keys(), (subject) => ({ code: 'label', subject }))

/** Returns the loss of a format that has no title. */
export const lostTitle = ({ title }: Draft): Loss[] =>
  title === undefined ? [] : [{ code: 'title', subject: title }]

/** Returns the model that a path sets first. */
export async function firstModel(draft: Draft): Promise<Setting['model']> {
  for (let at = 0; at < draft.count; at++) {
    const { sets } = (await draft.read(at)).view
    if (sets?.model) return sets.model
  }
  return undefined
}

/** Assigns unique UUIDs to written records: the same for the same entries in the same order. */
export class UniqueUuids {
  readonly #taken = new Set<string>()

  /** Returns an id for a part of an entry, or a wanted one if that is free. */
  next(oid: Oid, part: string, wanted?: string): string {
    let id = wanted ?? uuidOf(oid, part)
    for (let n = 1; this.#taken.has(id); n++) id = uuidOf(oid, part, n)
    this.#taken.add(id)
    return id
  }
}
