import { asString, field, isObject, items, type Json } from './json.ts'
import { isOid, type Oid } from './oid.ts'

/** Where an entry comes from that was brought from elsewhere, as its record says it. */
export interface Origin {
  /** The command that brought it. */
  readonly verb: string
  readonly oid: Oid
  /** Of several that became one: the others. */
  readonly also: readonly Oid[]
  /** The session that it was named through. */
  readonly session: string | undefined
}

/** Returns the origin that the record of a native append names; undefined if it names none. */
export function originIn(record: Json | null): Origin | undefined {
  const origin = field(record ?? undefined, 'origin')
  const [verb, oid] = [asString(field(origin, 'verb')), asString(field(origin, 'oid'))]
  if (!isObject(origin) || verb === undefined || oid === undefined || !isOid(oid)) return undefined
  const also = items(field(origin, 'also')).flatMap((item) => {
    const other = asString(item)
    return other !== undefined && isOid(other) ? [other] : []
  })
  return { verb, oid, also, session: asString(field(origin, 'session')) }
}
