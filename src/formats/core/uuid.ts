import { sha256Oid } from '../../model/encoding/sha256.ts'

const utf8 = new TextEncoder()

/** Returns 64 hex digits that parts name together, the same for the same parts. */
export const hexOf = (...parts: readonly (string | number)[]): string =>
  sha256Oid(utf8.encode(parts.join('\0')))

/** Returns a UUID of version 8 (RFC 9562) that parts name together, the same for the same parts. */
export function uuidOf(...parts: readonly (string | number)[]): string {
  const hex = hexOf(...parts)
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns whether a text is a UUID. */
export const isUuid = (text: string): boolean => UUID.test(text)
