import { ownBody } from '../formats/sess.ts'
import { SessError } from '../model/errors.ts'
import { asString, field, isObject, items, type Json, type JsonObject } from '../model/json.ts'
import { check, type TypedAppend } from './append/request.ts'
import type { EntryDraft } from './hashobject.ts'

/** Returns the entry that an object `{"type","body"}` describes. Throws `bad-entry`. */
export function entryIn(value: JsonObject): TypedAppend {
  const type = field(value, 'type')
  const body = field(value, 'body')
  if (body === undefined) throw new SessError('bad-entry', 'it has no body')
  const own = ownBody(body)
  return check(type === undefined ? { body: own } : { type: textIn(type, 'its type'), body: own })
}

/** Returns the entry of an object that also names its parents and links, by revisions. Throws `bad-entry`. */
export const draftIn = (value: JsonObject): EntryDraft => ({
  ...entryIn(value),
  parents: textsIn(field(value, 'parents') ?? [], 'its parents'),
  links: linksOf(field(value, 'links') ?? {}),
})

function linksOf(value: Json): EntryDraft['links'] {
  if (!isObject(value)) throw new SessError('bad-entry', 'its links are not an object')
  const { firstKept, kept, target, ...others } = value
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new SessError('bad-entry', `'${unknown}' is not a link`)
  return {
    ...(firstKept === undefined ? {} : { firstKept: textIn(firstKept, 'its firstKept') }),
    ...(kept === undefined ? {} : { kept: textsIn(kept, 'its kept') }),
    ...(target === undefined ? {} : { target: textIn(target, 'its target') }),
  }
}

function textIn(value: Json, what: string): string {
  const text = asString(value)
  if (text === undefined) throw new SessError('bad-entry', `${what} is not a text`)
  return text
}

function textsIn(value: Json, what: string): string[] {
  if (!Array.isArray(value)) throw new SessError('bad-entry', `${what} are not a list`)
  return items(value).map((item) => textIn(item, `one of ${what}`))
}
