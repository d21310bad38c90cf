import { SessError } from '../model/errors.ts'
import type { Listed } from '../repo/listedsession.ts'

/** What of a session each key means that every session has. */
const KNOWN: { readonly [key: string]: (session: Listed) => string | null } = {
  id: ({ id }) => id,
  title: ({ title }) => title,
  agent: ({ format }) => format,
  cwd: ({ cwd }) => cwd,
  model: ({ model }) => model,
}

/** Returns whether every session has a key, so that no user sets it. */
export const isKnownKey = (key: string): boolean => Object.hasOwn(KNOWN, key)

/** A condition on the sessions of a list. */
export interface Where {
  readonly key: string
  readonly holds: (session: Listed) => boolean
}

const CONDITION = /^([^=!]+)(?:(!?=)([^]*))?$/

/**
 * Reads a condition on what a session is or on what its user set: `key=value`, `key!=value`, or `key` for any value.
 * What is not set is the empty text. Throws `bad-usage`.
 */
export function parseWhere(text: string): Where {
  const [, name = '', sign, value = ''] = CONDITION.exec(text) ?? []
  const key = name.trim()
  if (key === '')
    throw new SessError('bad-usage', `'${text}' is no condition`, {
      hint: 'write KEY=VALUE, KEY!=VALUE, or KEY for any value',
    })
  const known = isKnownKey(key) ? KNOWN[key] : undefined
  const own = ({ set }: Listed): string | undefined => (Object.hasOwn(set, key) ? set[key] : undefined)
  const of = (session: Listed): string => (known ? known(session) : own(session)) ?? ''
  const equal = sign === '='
  return {
    key,
    holds: (session) => (sign === undefined ? of(session) !== '' : (of(session) === value) === equal),
  }
}
