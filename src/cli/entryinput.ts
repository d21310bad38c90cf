import { ownBody } from '../formats/sess.ts'
import { collected } from '../model/async.ts'
import { SessError } from '../model/errors.ts'
import { asString, field, isObject, items, type Json, type JsonObject } from '../model/json.ts'
import { parseJson } from '../model/value.ts'
import { check, type TypedAppend } from '../ops/append/request.ts'
import type { EntryDraft } from '../ops/hashobject.ts'

/** The result of parsing lines: the entries before the first invalid line, and its error. */
export interface Entries<T> {
  readonly entries: readonly T[]
  readonly wrong?: SessError
}

/** Reads lines as entries; `first` is the number of the first line. Empty lines are skipped. */
export const entriesOf = (lines: readonly Uint8Array[], first: number): Entries<TypedAppend> =>
  readLines(lines, first, entryOf)

/** Reads lines as entries that name their relatives by revisions. */
export const draftsOf = (lines: readonly Uint8Array[], first: number): Entries<EntryDraft> =>
  readLines(lines, first, (value) => ({
    ...entryOf(value),
    parents: textsIn(field(value, 'parents') ?? [], 'its parents'),
    links: linksOf(field(value, 'links') ?? {}),
  }))

function readLines<T>(
  lines: readonly Uint8Array[],
  first: number,
  read: (value: JsonObject) => T,
): Entries<T> {
  const entries: T[] = []
  for (const [place, line] of lines.entries()) {
    try {
      const value = objectIn(line)
      if (value) entries.push(read(value))
    } catch (error) {
      if (!(error instanceof SessError)) throw error
      return { entries, wrong: new SessError('bad-entry', `line ${first + place}: ${reasonOf(error)}`) }
    }
  }
  return { entries }
}

function objectIn(line: Uint8Array): JsonObject | undefined {
  const text = utf8(line)
  if (text.trim() === '') return undefined
  const value = parseJson(text)?.value
  if (value === undefined) throw new SessError('bad-entry', 'it is not JSON')
  if (!isObject(value)) throw new SessError('bad-entry', 'it is not a JSON object')
  return value
}

function entryOf(value: JsonObject): TypedAppend {
  const type = field(value, 'type')
  const body = field(value, 'body')
  if (body === undefined) throw new SessError('bad-entry', 'it has no body')
  const own = ownBody(body)
  return check(type === undefined ? { body: own } : { type: textIn(type, 'its type'), body: own })
}

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

/** The rest of an error message after its first words. */
const reasonOf = ({ message }: SessError): string => message.slice(message.indexOf(': ') + 2)

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new SessError('bad-entry', 'it is not UTF-8', { cause })
  }
}

/** Returns all of a stream as one text. Throws `bad-entry`. */
export async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  return utf8(Buffer.concat(await collected(stream)))
}
