import { sha256Oid } from '../../model/hash.ts'
import type { Json } from '../../model/json.ts'
import { type FindSecrets, joinedTexts, withTexts } from '../../model/secret.ts'
import { textOfBytes } from '../../model/textofbytes.ts'

const utf8 = new TextEncoder()

/**
 * Gives the 8 hex digits that stand for a secret in a store: the same for the same secret, and of no use to whoever has
 * not the store's own identity to try guesses with.
 */
export const markOf = (store: string, secret: string): string =>
  sha256Oid(utf8.encode(`${store}\0${secret}`)).slice(0, 8)

/** Puts marks in the place of secrets, equal ones for equal secrets: `[redacted:github:1f2e3d4c]`. */
export class Redaction {
  readonly #find: FindSecrets
  readonly #store: string
  /** How often a secret was replaced. */
  count = 0
  /** The marks of the secrets that were replaced. */
  readonly marks = new Set<string>()

  constructor(find: FindSecrets, store: string) {
    this.#find = find
    this.#store = store
  }

  readonly text = (text: string): string => {
    const found = this.#find(text)
    if (found.length === 0) return text
    const parts: string[] = []
    let at = 0
    for (const { rule, start, end } of found) {
      const mark = markOf(this.#store, text.slice(start, end))
      this.marks.add(mark)
      this.count++
      parts.push(text.slice(at, start), `[redacted:${rule}:${mark}]`)
      at = end
    }
    return parts.join('') + text.slice(at)
  }

  /** Gives a value of the same shape; the very same one where it holds no secret. */
  value(value: Json): Json {
    return this.#find(joinedTexts(value)).length === 0 ? value : withTexts(value, this.text)
  }

  /** Gives bytes with the secrets of their text replaced; the very same ones where they hold none. */
  bytes(bytes: Uint8Array): Uint8Array {
    const { text, encoding } = textOfBytes(bytes)
    const redacted = this.text(text)
    return redacted === text ? bytes : Buffer.from(redacted, encoding)
  }
}

/** Gives what finds secrets that are told, beside those that `find` does. */
export const alsoFinding =
  (secrets: readonly string[], find: FindSecrets): FindSecrets =>
  (text) => {
    const told = secrets.flatMap((secret) =>
      placesOf(text, secret).map((start) => ({ rule: 'secret', start, end: start + secret.length })),
    )
    if (told.length === 0) return find(text)
    const all = [...told, ...find(text)].sort((a, b) => a.start - b.start || b.end - a.end)
    let end = 0
    return all.filter((one) => {
      const apart = one.start >= end
      if (apart) end = one.end
      return apart
    })
  }

function placesOf(text: string, secret: string): number[] {
  const places: number[] = []
  if (secret === '') return places
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length)) places.push(at)
  return places
}
