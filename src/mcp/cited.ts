import { nullable, type Schema, string } from '../verbs/schema.ts'
import { timestamp } from '../verbs/wire.ts'

/** A model makes mistakes when it copies 64 digits; so many of them name an entry alone, and are copied well. */
const DIGITS = 12

/** The schema of an oid as answers have it: its first digits, which every tool takes. */
export const shortOidSchema: Schema<string> = { type: 'string', pattern: `^[0-9a-f]{${DIGITS}}$` }

/** Returns the digits of an oid by which an answer names it. */
export const shortOid = (oid: string): string => oid.slice(0, DIGITS)

export const shortOidOrNull = (oid: string | null | undefined): string | null =>
  oid === null || oid === undefined ? null : shortOid(oid)

/** The properties by which every item says where it is from. */
export const CITED = {
  session: nullable(string),
  oid: nullable(shortOidSchema),
  time: nullable(timestamp),
}

interface Source {
  readonly session: string | null
  readonly oid: string | null
  readonly time: string | null
}

/** Returns these properties of an item. */
export const cited = ({ session, oid, time }: Source): Source => ({ session, oid: shortOidOrNull(oid), time })
