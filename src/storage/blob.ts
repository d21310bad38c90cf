import { joined } from '../model/bytes.ts'
import { BlobRef } from '../model/canonical.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import type { Stored } from './record.ts'

/** Strings of at least this many characters are kept as blobs, once wherever they recur. */
export const BLOB_CHARS = 1024

/** The first byte of a blob's content tells what it is. */
const TEXT = 0
const BASE64 = 1
const BYTES = 2
const DATA_URL = 3

const DATA_URL_HEAD = /^data:[\w.+/-]{1,100};base64,/
const BASE64_TEXT = /^[A-Za-z0-9+/]+={0,2}$/

const utf8 = new TextEncoder()

/**
 * Gives the content under which a string is kept: base64 and data URLs decoded, where encoding gives the same text
 * back; else its UTF-8.
 */
export function contentOf(text: string): Uint8Array {
  const head = DATA_URL_HEAD.exec(text)?.[0] ?? ''
  const code = text.slice(head.length)
  if (code.length % 4 === 0 && BASE64_TEXT.test(code)) {
    const bytes = Buffer.from(code, 'base64')
    if (bytes.toString('base64') === code)
      return head === ''
        ? tagged(BASE64, bytes)
        : tagged(DATA_URL, Uint8Array.of(head.length), utf8.encode(head), bytes)
  }
  return tagged(TEXT, utf8.encode(text))
}

/** Gives the content under which raw bytes are kept. */
export const contentOfBytes = (bytes: Uint8Array): Uint8Array => tagged(BYTES, bytes)

/** Gives the string that a content stands for. */
export function textOfContent(content: Uint8Array): string {
  const rest = Buffer.from(content.buffer, content.byteOffset + 1, content.length - 1)
  if (content[0] === BASE64) return rest.toString('base64')
  if (content[0] !== DATA_URL) return rest.toString('utf8')
  const head = rest[0] as number
  return rest.toString('utf8', 1, 1 + head) + rest.toString('base64', 1 + head)
}

/** Gives the bytes that a content stands for. */
export const bytesOfContent = (content: Uint8Array): Uint8Array => content.subarray(1)

const tagged = (kind: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  joined([Uint8Array.of(kind), ...parts])

/** Gives a value with each large string replaced by the place of its blob; the same value where it has none. */
export function spill(value: Json, keep: (text: string) => BlobRef): Stored {
  if (typeof value === 'string') return value.length >= BLOB_CHARS ? keep(value) : value
  if (Array.isArray(value)) {
    let copy: Stored[] | undefined
    value.forEach((child: Json, i) => {
      const stored = spill(child, keep)
      if (stored !== child) {
        copy ??= value.slice()
        copy[i] = stored
      }
    })
    return copy ?? (value as readonly Json[])
  }
  if (isObject(value)) {
    let copy: Record<string, Stored> | undefined
    for (const key in value) {
      const child = value[key] as Json
      const stored = spill(child, keep)
      if (stored !== child) {
        copy ??= { ...value }
        copy[key] = stored
      }
    }
    return copy ?? value
  }
  return value
}

/** Puts the strings of blobs back: the inverse of `spill`; the same value where it has none. */
export function restore(stored: Stored, textAt: (ref: BlobRef) => string): Json {
  if (stored instanceof BlobRef) return textAt(stored)
  if (Array.isArray(stored)) {
    let copy: Json[] | undefined
    stored.forEach((child: Stored, i) => {
      const value = restore(child, textAt)
      if (value !== child) {
        copy ??= (stored as Json[]).slice()
        copy[i] = value
      }
    })
    return copy ?? (stored as readonly Json[])
  }
  if (isObject(stored as Json)) {
    const source = stored as { readonly [key: string]: Stored }
    let copy: Record<string, Json> | undefined
    for (const key in source) {
      const child = source[key] as Stored
      const value = restore(child, textAt)
      if (value !== child) {
        copy ??= { ...(source as JsonObject) }
        copy[key] = value
      }
    }
    return copy ?? (stored as JsonObject)
  }
  return stored as Json
}
