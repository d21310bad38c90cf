import { textOfBytes } from '../bytes.ts'
import { BlobRef } from '../encoding/canonical.ts'
import { sha256Oid } from '../encoding/sha256.ts'
import { Verbatim } from '../encoding/verbatim.ts'
import type { Json } from '../json.ts'
import { Spellings } from './spellings.ts'

/** Why something was expunged, and when, in milliseconds since 1970. */
export type Reason = {
  readonly why: string
  readonly time: number
}

/** A secret that must not be imported again, stored so that it cannot be recovered from the store. */
export type Watched = Reason & {
  /** Its length in UTF-16 units. */
  readonly length: number
  /** A rolling hash of the secret, which few other texts of this length have: see `weakHash`. */
  readonly weak: number
  /** The SHA-256 of the salt and the secret, 64 hex digits. */
  readonly salt: string
  readonly hash: string
}

/** The tombstones of a store: one ref for each expunged body and each secret. */
export interface Tombstones {
  /** By the digest of a removed body. */
  readonly bodies: { readonly [digest: string]: Reason }
  /** By mark: 8 hex digits that identify a secret in this store. */
  readonly secrets: { readonly [mark: string]: Watched }
}

export const NO_TOMBSTONES: Tombstones = { bodies: {}, secrets: {} }

/** Returns the text that replaces a secret. */
export const placeholder = (mark: string): string => `[expunged:${mark}]`

/** Returns the marks of the secrets that were removed from a text. */
export const marksIn = (text: string): string[] =>
  [...text.matchAll(/\[expunged:([0-9a-f]{8})\]/g)].map(([, mark = '']) => mark)

/** A part of a value, as it is or as it is stored. */
type ValuePart = Json | BlobRef | readonly ValuePart[] | { readonly [key: string]: ValuePart }

/**
 * Returns a value with its texts and field names replaced by `change`; `key` is the name of the nearest field around a
 * text, null for a field name. Returns the same object if nothing changes.
 */
export function changed(
  value: ValuePart,
  change: (text: string, key: string | null) => string,
  key = '',
): ValuePart {
  if (typeof value === 'string') return change(value, key)
  if (value instanceof Verbatim) {
    const text = change(value.text, key)
    return text === value.text ? value : new Verbatim(text)
  }
  if (value instanceof BlobRef || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const list = value as readonly ValuePart[]
    const next = list.map((child) => changed(child, change, key))
    return next.every((child, i) => child === list[i]) ? list : next
  }
  const fields = Object.entries(value as { readonly [key: string]: ValuePart })
  const next = fields.map(([name, child]) => [change(name, null), changed(child, change, name)] as const)
  const same = next.every(([name, child], i) => name === fields[i]?.[0] && child === fields[i]?.[1])
  return same ? value : Object.fromEntries(next)
}

/** Fields that hold the kind of a message and its relations to others, never its content. */
const FRAME =
  /^(?:type|role|subtype|kind|name|model|provider|api|phase|status|version|timestamp|time|stop_?reason|mime_?type|media_?type|(?:\w*_)?(?:uu)?id|\w*(?:Id|Uuid|Reason|Type|Name))$/

/** The allowed content of such a field. */
const WORD = /^[\w.:+/@-]{0,100}$/

/** Returns whether a text, or the name of a field if `key` is null, belongs to the structure of a message. */
const isFrame = (text: string, key: string | null): boolean =>
  key === null || (FRAME.test(key) && WORD.test(text))

/** Returns a value of the same shape with every text replaced by `instead`. */
export const blanked = (value: ValuePart, instead: string): ValuePart =>
  changed(value, (text, key) => (isFrame(text, key) ? text : instead))

/** Returns all texts that `blanked` would replace, one per line. */
export function textOfBody(value: ValuePart): string {
  const texts: string[] = []
  changed(value, (text, key) => {
    if (!isFrame(text, key)) texts.push(text)
    return text
  })
  return texts.join('\n')
}

/** Returns a text with each run of white space replaced by one space, for comparisons. */
export const spaced = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** Returns whether a title or a prompt, which may be cut, repeats one of some texts that were expunged as a whole. */
export function repeats(text: string, expunged: readonly string[]): boolean {
  const plain = spaced(text).replace(/…$/, '')
  return plain.length > 3 && expunged.some((one) => one.includes(plain))
}

/** Replaces secrets by placeholders, in all their spellings. */
export class Eraser {
  readonly #spellings: Spellings

  /** Takes secrets by their marks. */
  constructor(secrets: Iterable<readonly [mark: string, secret: string]>) {
    this.#spellings = new Spellings(secrets)
  }

  readonly text = (text: string): string => this.#spellings.replace(text, placeholder)

  /** Whether there is no secret to be found. */
  get isIdle(): boolean {
    return this.#spellings.isEmpty
  }

  /** Returns whether a text contains a secret. */
  holds(text: string): boolean {
    return this.#spellings.holds(text)
  }

  /** Returns a value with placeholders; the same object if nothing changes. */
  value<T extends ValuePart>(value: T): T {
    return changed(value, this.text) as T
  }

  /** Returns bytes with placeholders; the same object if nothing changes. */
  bytes(bytes: Uint8Array): Uint8Array {
    const { text, encoding } = textOfBytes(bytes)
    const next = this.text(text)
    return next === text ? bytes : Buffer.from(next, encoding)
  }
}

const BASE = 0x01000193

/** Returns a rolling hash of a text: it can be updated from one window of a longer text to the next. */
export function weakHash(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0
  return hash
}

const utf8 = new TextEncoder()

/** Returns the salted hash that identifies a secret. */
export const strongHash = (salt: string, secret: string): string =>
  sha256Oid(utf8.encode(`${salt}\0${secret}`))

/** Returns the secrets of a watch list that a text contains, by mark. */
export function watchedIn(text: string, secrets: Tombstones['secrets']): Map<string, string> {
  const found = new Map<string, string>()
  for (const [mark, { length, weak, salt, hash }] of Object.entries(secrets)) {
    if (text.length < length) continue
    let first = 1
    for (let i = 1; i < length; i++) first = Math.imul(first, BASE)
    let rolling = weakHash(text.slice(0, length))
    for (let at = 0; ; at++) {
      if (rolling === weak) {
        const candidate = text.slice(at, at + length)
        if (strongHash(salt, candidate) === hash) {
          found.set(mark, candidate)
          break
        }
      }
      if (at + length >= text.length) break
      const out = Math.imul(text.charCodeAt(at), first)
      rolling = (Math.imul((rolling - out) | 0, BASE) + text.charCodeAt(at + length)) | 0
    }
  }
  return found
}

/** A secret of fewer bits could be recovered by hashing guesses of the body. */
const BITS = 64

/** Words of fewer characters in all could be recovered likewise, although there are many of that length. */
const WORDS = 40

/** Returns whether a secret could be guessed: it has too few characters, or too few different ones. */
export function isGuessable(secret: string): boolean {
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((one) => one.test(secret)).length
  const bits = secret.length * Math.min(Math.log2(new Set(secret).size + 1), 2 + classes)
  return bits < BITS || (/^[a-z ]+$/i.test(secret) && secret.length < WORDS)
}

/** Returns whether the text of a message could be guessed: it is short, and each word could be guessed. */
export const isGuessableText = (text: string): boolean =>
  isGuessable(text) || (text.length < WORDS && text.split(/\s+/).every(isGuessable))
