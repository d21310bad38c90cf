import { BlobRef } from './canonical.ts'
import { sha256Oid } from './hash.ts'
import { type Json, Verbatim } from './json.ts'
import { encoded, spelled, withoutEncoded } from './spelled.ts'
import { textOfBytes } from './textofbytes.ts'

/** Why something was expunged, and when, in milliseconds since 1970. */
export type Reason = {
  readonly why: string
  readonly time: number
}

/** A secret that must not come back, told so that nobody learns it from here. */
export type Watched = Reason & {
  /** How long it is, in UTF-16 units. */
  readonly length: number
  /** What a text of that length has in common with few others: see `weakHash`. */
  readonly weak: number
  /** The SHA-256 of the salt and the secret, 64 hex digits. */
  readonly salt: string
  readonly hash: string
}

/** The tombstones of a store: one ref for each expunged body and each secret. */
export interface Tombstones {
  /** By the digest of what entries said that was removed whole. */
  readonly bodies: { readonly [digest: string]: Reason }
  /** By mark: 8 hex digits that stand for a secret in this store. */
  readonly secrets: { readonly [mark: string]: Watched }
}

export const NO_TOMBSTONES: Tombstones = { bodies: {}, secrets: {} }

/** Gives what stands where a secret was. */
export const placeholder = (mark: string): string => `[expunged:${mark}]`

/** Gives the marks of the secrets that were removed from a text. */
export const marksIn = (text: string): string[] =>
  [...text.matchAll(/\[expunged:([0-9a-f]{8})\]/g)].map(([, mark = '']) => mark)

/** What a value consists of, in full or as it is stored. */
type Part = Json | BlobRef | readonly Part[] | { readonly [key: string]: Part }

/**
 * Gives a value with its texts, and the names of its fields, as `change` makes them; `key` is the name of the nearest
 * field around a text, null for such a name itself. The very same value where it changes none.
 */
export function changed(value: Part, change: (text: string, key: string | null) => string, key = ''): Part {
  if (typeof value === 'string') return change(value, key)
  if (value instanceof Verbatim) {
    const text = change(value.text, key)
    return text === value.text ? value : new Verbatim(text)
  }
  if (value instanceof BlobRef || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const list = value as readonly Part[]
    const next = list.map((child) => changed(child, change, key))
    return next.every((child, i) => child === list[i]) ? list : next
  }
  const fields = Object.entries(value as { readonly [key: string]: Part })
  const next = fields.map(([name, child]) => [change(name, null), changed(child, change, name)] as const)
  const same = next.every(([name, child], i) => name === fields[i]?.[0] && child === fields[i]?.[1])
  return same ? value : Object.fromEntries(next)
}

/** Fields that say what a message is, and which others it belongs to; never what it says. */
const FRAME =
  /^(?:type|role|subtype|kind|name|model|provider|api|phase|status|version|timestamp|time|stop_?reason|mime_?type|media_?type|(?:\w*_)?(?:uu)?id|\w*(?:Id|Uuid|Reason|Type|Name))$/

/** What such a field holds. */
const WORD = /^[\w.:+/@-]{0,100}$/

/** Tells whether a text, or the name of a field where `key` is null, is of the frame of a message. */
const isFrame = (text: string, key: string | null): boolean =>
  key === null || (FRAME.test(key) && WORD.test(text))

/** Gives a value of the same shape that says `instead` where it said anything. */
export const blanked = (value: Part, instead: string): Part =>
  changed(value, (text, key) => (isFrame(text, key) ? text : instead))

/** Gives all that a value says, of which `blanked` leaves nothing, a line for each text. */
export function saidBy(value: Part): string {
  const texts: string[] = []
  changed(value, (text, key) => {
    if (!isFrame(text, key)) texts.push(text)
    return text
  })
  return texts.join('\n')
}

/** How one secret is found, and what takes its place. */
interface Wanted {
  readonly plain: RegExp
  readonly inBase64: RegExp | undefined
  readonly instead: string
}

/** Puts placeholders in the place of secrets, however they are spelled, and of what is encoded with one in it. */
export class Eraser {
  readonly #wanted: readonly Wanted[]

  /** Takes secrets with their marks. */
  constructor(secrets: Iterable<readonly [mark: string, secret: string]>) {
    this.#wanted = [...secrets]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .flatMap(([mark, secret]) => {
        const instead = placeholder(mark)
        // Among bytes that are no UTF-8 a secret is some bytes all the same, each read as a character.
        const bytes = Buffer.from(secret).toString('latin1')
        const all = [{ plain: spelled(secret), inBase64: encoded(secret), instead }]
        return bytes === secret ? all : [...all, { plain: spelled(bytes), inBase64: undefined, instead }]
      })
  }

  readonly text = (text: string): string => {
    let next = text
    for (const { plain, inBase64, instead } of this.#wanted) {
      next = next.replace(plain, () => instead)
      if (inBase64) next = withoutEncoded(next, inBase64, instead)
    }
    return next
  }

  /** Whether there is no secret to be found. */
  get isIdle(): boolean {
    return this.#wanted.length === 0
  }

  /** Tells whether a text holds a secret. */
  holds(text: string): boolean {
    return this.#wanted.some(
      ({ plain, inBase64 }) => text.search(plain) >= 0 || (inBase64 && text.search(inBase64) >= 0),
    )
  }

  /** Gives a value with placeholders, the very same one where nothing changes. */
  value<T extends Part>(value: T): T {
    return changed(value, this.text) as T
  }

  /** Gives bytes with placeholders, the very same ones where nothing changes. */
  bytes(bytes: Uint8Array): Uint8Array {
    const { text, encoding } = textOfBytes(bytes)
    const next = this.text(text)
    return next === text ? bytes : Buffer.from(next, encoding)
  }
}

const BASE = 0x01000193

/** Gives a number for a text that can be rolled on from one window of a longer text to the next. */
export function weakHash(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0
  return hash
}

const utf8 = new TextEncoder()

/** Gives the hash by which a secret is known again. */
export const strongHash = (salt: string, secret: string): string =>
  sha256Oid(utf8.encode(`${salt}\0${secret}`))

/** Gives the secrets of a watch list that a text holds, by their marks. */
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

/** A secret of fewer bits could be found by trying what has the digest of what it stood in. */
const BITS = 64

/** Words of fewer characters in all could be found likewise, though there are many of that length. */
const WORDS = 40

/** Tells whether a secret could be guessed: too few characters, or too few different ones. */
export function isGuessable(secret: string): boolean {
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((one) => one.test(secret)).length
  const bits = secret.length * Math.min(Math.log2(new Set(secret).size + 1), 2 + classes)
  return bits < BITS || (/^[a-z ]+$/i.test(secret) && secret.length < WORDS)
}

/** Tells whether all that a message says could be guessed: it is short, and so could each of its words. */
export const isGuessableText = (text: string): boolean =>
  isGuessable(text) || (text.length < WORDS && text.split(/\s+/).every(isGuessable))
