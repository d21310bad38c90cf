import { SessError } from '../model/errors.ts'
import { checkName, metaRef } from '../model/refname.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { refValue, type SessionMeta } from '../repo/session.ts'
import { isKnownKey } from './listcondition.ts'

/** Keys and values that a user set on a session. */
export type Pairs = { readonly [key: string]: string }

/** The pairs of a session, and the former values of the changed ones, null if they were not set. */
export interface WereSet {
  readonly session: string
  readonly set: Pairs
  readonly before: { readonly [key: string]: string | null }
}

/** The longest value, in UTF-16 units. */
const LONGEST = 1000

/**
 * Sets keys of a session; null or an empty text clears one. Throws `bad-name` for a key that is no name or that is reserved,
 * `bad-value` for a value longer than 1,000 UTF-16 units, `no-session`.
 */
export async function setPairs(
  repo: Repo,
  session: string,
  pairs: { readonly [key: string]: string | null },
): Promise<WereSet> {
  return repo.write({}, async ({ reader, move }) => {
    const { id, meta } = await resolveSession(reader, session)
    const had = new Map(Object.entries(meta.set ?? {}))
    const next = new Map(had)
    const before: [string, string | null][] = []
    for (const [key, text] of Object.entries(pairs)) {
      const value = checkValue(text ?? '')
      if (value === '') next.delete(key)
      else next.set(checkKey(key), value)
      if (next.get(key) !== had.get(key)) before.push([key, had.get(key) ?? null])
    }
    const set = Object.fromEntries(next)
    if (before.length > 0) move(metaRef(id), refValue(meta), refValue(withSet(meta, set)))
    return { session: id, set, before: Object.fromEntries(before) }
  })
}

function withSet(before: SessionMeta, set: Pairs): SessionMeta {
  const { set: _, ...meta } = before
  return Object.keys(set).length === 0 ? meta : { ...meta, set }
}

function checkKey(key: string): string {
  if (!isKnownKey(key)) return checkName(key)
  throw new SessError('bad-name', key, {
    detail: 'every session has it already',
    ...(key === 'title'
      ? { remedy: { kind: 'rename-session' } }
      : { hint: 'choose another key; nothing was set' }),
  })
}

/** Returns a value without lone surrogates. Throws `bad-value` if it is too long. */
export function checkValue(value: string): string {
  if (value.length > LONGEST) throw new SessError('bad-value', `${value.slice(0, 40).toWellFormed()}…`)
  return value.toWellFormed()
}
