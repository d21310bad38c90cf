import { STATUS_CODES } from 'node:http'
import { asSessError, type ErrorKind, type SessError } from '../model/errors.ts'
import { defined, type Json, type JsonObject, jsonText } from '../model/json.ts'

/** The status of an error, by who must act. */
const STATUS: Readonly<Record<ErrorKind, number>> = {
  user: 422,
  usage: 400,
  conflict: 409,
  busy: 503,
  corrupt: 500,
  stopped: 503,
  bug: 500,
}

/** The codes with a status of their own. */
const STATUS_OF_CODE: { readonly [code in SessError['code']]?: number } = {
  'no-store': 404,
  'no-revision': 404,
  'no-session': 404,
  'no-branch': 404,
  'no-label': 404,
  'no-swarm': 404,
  'no-entry': 404,
  'no-operation': 404,
  'no-folder': 404,
  'empty-session': 404,
  'before-first': 404,
  expunged: 409,
  exists: 409,
  diverged: 409,
  'current-branch': 409,
  'nothing-to-undo': 409,
  'nothing-to-redo': 409,
  'no-space': 507,
}

/** A refusal of a request, before any verb is performed. */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
}

export const PROBLEM = 'application/problem+json'

const titleOf = (status: number): string => STATUS_CODES[status] ?? 'Error'

/** Returns the answer to a request that is refused. */
export const refuse = ({ status, code, detail, headers = {} }: Refusal): Response =>
  new Response(
    JSON.stringify({ type: 'about:blank', title: titleOf(status), status, detail, code, retryable: false }),
    { status, headers: { ...headers, 'content-type': PROBLEM } },
  )

/**
 * Returns the answer to a request that failed. The message of an internal error is kept back: it may tell of this
 * machine. With `isPlain` the message is also in `error`, as callers of Dash's routes expect it.
 */
export function failed(thrown: unknown, isPlain = false): Response {
  const error = asSessError(thrown)
  const { code, kind, hint, retryable, choices, candidates, present } = error
  const status = STATUS_OF_CODE[code] ?? STATUS[kind]
  const detail = kind === 'bug' ? 'internal error' : error.message
  const body: JsonObject = {
    type: 'about:blank',
    title: titleOf(status),
    status,
    detail,
    code,
    ...defined({ hint: hint || undefined, choices: some(choices), candidates: some(candidates), present }),
    retryable,
    ...(isPlain && { error: detail }),
  }
  const wait = status === 503 ? { 'retry-after': '1' } : {}
  return new Response(jsonText(body), { status, headers: { 'content-type': PROBLEM, ...wait } })
}

const some = (names: readonly string[]): Json | undefined => (names.length > 0 ? names : undefined)
