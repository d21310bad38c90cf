import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'

/** Opaque text that names a row of a list, whatever is added to the list. */
export type Cursor = string & { readonly __brand: 'Cursor' }

/** The parts of the cursors of each list. */
interface CursorParts {
  readonly entry: readonly [session: string | null, oid: Oid]
  readonly session: readonly [order: string, rank: number, id: string]
  readonly operation: readonly [number: number]
  readonly hit: readonly [before: number, session: string, oid: Oid | null]
}

type CursorKind = keyof CursorParts

/** The types of the parts of each kind of cursor; `count` is a whole number from 0. */
const FORMS: { readonly [K in CursorKind]: readonly string[] } = {
  entry: ['string?', 'string'],
  session: ['string', 'number', 'string'],
  operation: ['count'],
  hit: ['count', 'string', 'string?'],
}

/** Returns the cursor of a row. */
export const encodeCursor = <K extends CursorKind>(kind: K, ...parts: CursorParts[K]): Cursor =>
  Buffer.from(JSON.stringify([kind, ...parts])).toString('base64url') as Cursor

/** Returns what a cursor names. Throws `bad-usage` where it is none of a kind of list. */
export function decodeCursor<K extends CursorKind>(kind: K, cursor: Cursor): CursorParts[K] {
  const parts = partsIn(cursor)
  const form = FORMS[kind]
  const fits = (part: unknown, i: number): boolean => {
    if (part === null) return form[i]?.endsWith('?') === true
    if (form[i] === 'count') return Number.isSafeInteger(part) && (part as number) >= 0
    return form[i]?.startsWith(typeof part) === true
  }
  const [named, ...rest] = parts ?? []
  if (named !== kind || rest.length !== form.length || !rest.every(fits))
    throw new SessError('bad-usage', `'${cursor}' is no cursor of this list`)
  return rest as unknown as CursorParts[K]
}

function partsIn(cursor: Cursor): readonly unknown[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : undefined
  } catch {
    // Text that is no cursor.
    return undefined
  }
}

/** Returns the cursor of an entry in a session. */
export const entryCursor = ({
  session,
  oid,
}: {
  readonly session: string | null
  readonly oid: Oid
}): Cursor => encodeCursor('entry', session, oid)

/** Returns the cursor of an operation, or of a move of a ref by it. */
export const operationCursor = (number: number): Cursor => encodeCursor('operation', number)

/** Returns the cursor of a hit, by the number of hits before it. */
export const hitCursor = (
  { session, oid }: { readonly session: string; readonly oid: Oid | null },
  before: number,
): Cursor => encodeCursor('hit', before, session, oid)
