import { type ErrorDetail, SessError, type Span } from '../errors.ts'
import { type Pattern, phrase, regularExpression } from '../pattern/pattern.ts'
import { PatternError } from '../pattern/syntax.ts'
import { parseTime, type Zone } from '../time.ts'
import { ROLES, type Role } from '../view.ts'
import { folded } from './words.ts'

/** The fields of queries and what each of them asks for. */
export const FIELDS = {
  role: 'user, assistant, tool or system',
  tool: 'the name of a tool',
  agent: 'the name of an agent',
  session: 'the id or title of a session',
  branch: 'the name of a branch',
  label: 'part of a label',
  title: 'part of a title',
  cwd: 'a folder, with what is below it',
  project: 'part of the path of a folder, or of a repository',
  'git-branch': 'the name of a git branch',
  commit: 'a git commit',
  repository: 'a git repository: its address, or its owner and name',
  pr: 'a pull request: its number or address',
  since: 'a time such as 2w or 2026-04-01',
  until: 'a time such as 2w or 2026-04-01',
  is: 'failed',
} as const

export type QueryField = keyof typeof FIELDS

/** A condition on what is searched. `not` turns it round. */
export type Term =
  | { readonly kind: 'text'; readonly text: string; readonly pattern: Pattern; readonly not: boolean }
  | { readonly kind: 'pattern'; readonly source: string; readonly pattern: Pattern; readonly not: boolean }
  | { readonly kind: 'role'; readonly role: Role; readonly not: boolean }
  | {
      readonly kind: 'since' | 'until'
      /** Milliseconds since 1970. */
      readonly time: number
      readonly not: boolean
    }
  | { readonly kind: 'failed'; readonly not: boolean }
  | { readonly kind: NamedField; readonly value: string; readonly not: boolean }

/** The fields whose values are names. */
export type NamedField =
  | 'tool'
  | 'agent'
  | 'session'
  | 'branch'
  | 'label'
  | 'title'
  | 'cwd'
  | 'project'
  | 'git-branch'
  | 'commit'
  | 'repository'
  | 'pr'

/** A parsed query: at least one term of each clause must match. */
export interface Query {
  readonly clauses: readonly (readonly Term[])[]
}

/** A token of a query: the field before the colon, the value, and the position. */
interface QueryPiece {
  readonly not: boolean
  readonly field: string | undefined
  readonly value: string
  readonly quoted: boolean
  readonly from: number
  readonly to: number
}

/**
 * Reads a query: words and "phrases" that must all be there in any case of letters, `re:` and a regular expression,
 * `field:value` for each of FIELDS; `-` before one turns it round, `OR` between two takes either. Throws `bad-query`
 * with the place. Beside a field, the bare word `failed` is `is:failed`.
 */
export function parseQuery(text: string, now: number, zone?: Zone): Query {
  const clauses: Term[][] = []
  let or: QueryPiece | undefined
  const pieces = [...piecesOf(text)]
  const asksFields = pieces.some(({ field }) => field !== undefined && field !== 're')
  for (const piece of pieces) {
    const isOr = piece.value === 'OR' && !piece.quoted && !piece.not && piece.field === undefined
    if (isOr && (or || clauses.length === 0)) fail(text, piece, 'OR is allowed only between two terms')
    if (isOr) {
      or = piece
      continue
    }
    const isFailed = asksFields && piece.field === undefined && piece.value === 'failed' && !piece.quoted
    const asked = isFailed ? { ...piece, field: 'is' } : piece
    const term = termOf(text, asked, now, zone)
    if (or) clauses.at(-1)?.push(term)
    else clauses.push([term])
    or = undefined
  }
  if (or) fail(text, or, 'OR is allowed only between two terms')
  if (clauses.length === 0) throw new SessError('bad-query', 'it is empty')
  return { clauses }
}

function fail(text: string, { from, to }: Span, what: string, more: ErrorDetail = {}): never {
  throw new SessError('bad-query', what, { ...more, at: { text, from, to } })
}

const PIECE = /(-?)(?:([a-z]+(?:-[a-z]+)*):(?=\S))?(?:"([^"]*)("?)|(\S+))/gy

function* piecesOf(text: string): Generator<QueryPiece> {
  for (let at = 0; ; ) {
    while (/\s/.test(text.charAt(at))) at++
    if (at >= text.length) return
    PIECE.lastIndex = at
    const [all = '', minus, name, quotedText, closed, bare] = PIECE.exec(text) ?? []
    const to = at + all.length
    if (quotedText !== undefined && closed === '')
      fail(text, { from: to - quotedText.length - 1, to }, 'a quote is not closed')
    const known = name === undefined || name === 're' || Object.hasOwn(FIELDS, name)
    const value = quotedText ?? bare ?? ''
    yield {
      // A word with a colon that is no field is text, such as an address.
      ...(known ? { field: name, value } : { field: undefined, value: `${name}:${value}` }),
      not: minus === '-',
      quoted: quotedText !== undefined,
      from: at,
      to,
    }
    at = to
  }
}

function termOf(text: string, piece: QueryPiece, now: number, zone: Zone | undefined): Term {
  const { field, value, not } = piece
  const place = { from: piece.to - value.length - (piece.quoted ? 1 : 0), to: piece.to }
  if (value.trim() === '') fail(text, piece, 'nothing is between the quotes')
  switch (field) {
    case undefined:
      return { kind: 'text', text: folded(value), pattern: phrase(value), not }
    case 're':
      return { kind: 'pattern', source: value, pattern: patternOf(text, value, place), not }
    case 'role': {
      const role = ROLES.find((known) => known === value.toLowerCase())
      return role
        ? { kind: 'role', role, not }
        : fail(text, place, `no role is called '${value}'`, { ...oneOf(field), choices: ROLES })
    }
    case 'since':
    case 'until': {
      const time = parseTime(value, now, zone)
      return time === undefined
        ? fail(text, place, `'${value}' is not a time`, oneOf(field))
        : { kind: field, time, not }
    }
    case 'is':
      return value === 'failed'
        ? { kind: 'failed', not }
        : fail(text, place, `nothing is '${value}'`, oneOf(field))
    default:
      return { kind: field as NamedField, value, not }
  }
}

const oneOf = (field: QueryField): ErrorDetail => ({ hint: `${field}: takes ${FIELDS[field]}` })

function patternOf(text: string, source: string, place: Span): Pattern {
  try {
    return regularExpression(source)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    return fail(text, place, `the regular expression is not valid: ${error.message}`)
  }
}
