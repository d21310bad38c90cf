import { Verbatim } from '../encoding/verbatim.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'

/** A part of a text that is a secret. */
export interface Secret {
  /** Which kind it is: the name of the rule that found it. */
  readonly rule: string
  readonly start: number
  readonly end: number
}

/** Returns the secrets in a text, in order, without overlaps. */
export type FindSecrets = (text: string) => readonly Secret[]

/** A text of a value and its path: `message.content[0].text`. */
export type SecretField = readonly [field: string, text: string]

/** Fields that hold what only their maker can read: a signature, an encrypted thought. */
const SEALED = /signature$|^encrypted|^redacted_thinking$/i

/** Encoded bytes, in any field: an image or a file. */
const ENCODED = /^data:[\w.+/-]{1,100};base64,/

/** Fields that hold encoded bytes if the object around them says so. */
const BYTES: ReadonlySet<string> = new Set(['data', 'image_url', 'bytes', 'blob'])
const SAYS_BYTES = ['mimeType', 'mime_type', 'media_type', 'mediaType']

/**
 * Returns whether a text is excluded from the search for secrets: signatures, encrypted reasoning, encoded images. They
 * are never secrets of the user, and changing a character makes them useless.
 */
function isSealed(key: string, text: string, owner: JsonObject | undefined): boolean {
  if (SEALED.test(key) || ENCODED.test(text)) return true
  if (!owner || !BYTES.has(key)) return false
  return owner.type === 'redacted_thinking' || SAYS_BYTES.some((name) => typeof owner[name] === 'string')
}

/** Which texts of a value are yielded, and what their paths begin with. */
interface TextsOptions {
  readonly within?: string
  /** Also those that are excluded from the search for secrets. */
  readonly sealed?: boolean
}

/** Yields the texts of a value, keys included, with their paths. */
export const textsIn = (
  value: Json,
  { within = '', sealed = false }: TextsOptions = {},
): Generator<SecretField> => textsBelow(value, within, sealed)

function* textsBelow(
  value: Json,
  at: string,
  sealed: boolean,
  owner?: JsonObject,
  key = '',
): Generator<SecretField> {
  if (typeof value === 'string') {
    if (sealed || !isSealed(key, value, owner)) yield [at, value]
  } else if (value instanceof Verbatim) yield [at, value.text]
  else if (isObject(value))
    for (const [name, child] of Object.entries(value)) {
      const field = at === '' ? name : `${at}.${name}`
      yield [at, name]
      yield* textsBelow(child, field, sealed, value, name)
    }
  else if (Array.isArray(value))
    for (const [i, child] of (value as readonly Json[]).entries())
      yield* textsBelow(child, `${at}[${i}]`, sealed, owner, key)
}

/** Separates texts that are searched together: no secret contains it. */
const BETWEEN = '\n\0\n'

/** Returns all texts of a value as one, to be searched at once: much cheaper, as most values hold no secret. */
export function joinedTexts(value: Json): string {
  const texts: string[] = []
  addTexts(value, texts)
  return texts.join(BETWEEN)
}

/** Adds the texts that `textsIn` yields, without their paths. */
function addTexts(value: Json, texts: string[], owner?: JsonObject, key = ''): void {
  if (typeof value === 'string') {
    if (!isSealed(key, value, owner)) texts.push(value)
  } else if (value instanceof Verbatim) texts.push(value.text)
  else if (isObject(value))
    for (const name of Object.keys(value)) {
      texts.push(name)
      addTexts(value[name] as Json, texts, value, name)
    }
  else if (Array.isArray(value))
    for (const child of value as readonly Json[]) addTexts(child, texts, owner, key)
}

/** Returns texts as one, to be searched at once. */
export const joinTexts = (texts: readonly string[]): string => texts.join(BETWEEN)

type TextChange = (text: string) => string

/**
 * Returns a value of the same shape with its texts replaced by `change`, those that are excluded from the search for
 * secrets by `changeSealed`; the same object if nothing changes.
 */
export function withTexts(
  value: Json,
  change: TextChange,
  changeSealed: TextChange = (text) => text,
  owner?: JsonObject,
  key = '',
): Json {
  if (typeof value === 'string') return isSealed(key, value, owner) ? changeSealed(value) : change(value)
  if (value instanceof Verbatim) return verbatimWith(value, change)
  if (isObject(value)) {
    const entries = Object.entries(value)
    const changed = entries.map(
      ([name, child]) => [change(name), withTexts(child, change, changeSealed, value, name)] as const,
    )
    const same = changed.every(([name, child], i) => name === entries[i]?.[0] && child === entries[i]?.[1])
    return same ? value : Object.fromEntries(changed)
  }
  if (!Array.isArray(value)) return value
  const list = value as readonly Json[]
  const changed = list.map((child) => withTexts(child, change, changeSealed, owner, key))
  return changed.every((child, i) => child === list[i]) ? list : changed
}

function verbatimWith(value: Verbatim, change: (text: string) => string): Json {
  const text = change(value.text)
  if (text === value.text) return value
  return isJson(text) ? new Verbatim(text) : change(JSON.stringify(value.text))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** How many of its first characters a masked secret shows: those that say of which kind it is, seldom more. */
const SHOWN = 4

/** Returns a masked secret: its first characters if it is long, and its length. */
export const masked = (secret: string): string =>
  `${secret.length >= 16 ? secret.slice(0, SHOWN) : ''}… (${secret.length} characters)`
