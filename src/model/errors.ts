import { type ErrorCode, type ErrorKind, type Remedy, WORDINGS, type Wording } from './errorcodes.ts'
import type { Json } from './json.ts'

export type { ErrorCode, ErrorKind, Remedy } from './errorcodes.ts'

/** A piece of a text, in UTF-16 units from its beginning. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A place in a text that somebody typed. */
export interface ErrorPosition extends Span {
  readonly text: string
}

/** An error as data for programs. */
export interface ErrorData {
  readonly code: ErrorCode
  readonly kind: ErrorKind
  readonly message: string
  /** How to go on, in words that name no command; empty where the code says it all. */
  readonly hint: string
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** Where in an expression or a template it went wrong. */
  readonly at?: ErrorPosition
}

/** Optional details of an error. */
export interface ErrorDetail {
  /** More about the cause, appended to the message in brackets. */
  readonly detail?: string | undefined
  /** The word that somebody typed, where the subject is not that word; '' where nobody typed one. */
  readonly typed?: string | undefined
  /** How to go on, in words that name no command. */
  readonly hint?: string
  /** How to go on, as data from which an interface words a hint that names its commands. */
  readonly remedy?: Remedy | undefined
  /** The ids and oids of which each may have been meant. */
  readonly candidates?: readonly string[]
  /** Where in a text that somebody typed it went wrong. */
  readonly at?: ErrorPosition | undefined
  /** The names that are allowed in place of the word that was typed: one of them may have been meant. */
  readonly choices?: readonly string[]
  /** Of a `conflict`: the value that is there now. */
  readonly present?: Json | undefined
  readonly cause?: unknown
}

/** An error with a stable code and who must act. */
export class SessError extends Error {
  override readonly name = 'SessError'
  readonly code: ErrorCode
  readonly kind: ErrorKind
  /** The name, path or oid that it is about; the whole failure where the code has no usual words. */
  readonly subject: string
  readonly detail: string | undefined
  /** The word that somebody typed: usually the subject; '' where nobody typed one. */
  readonly typed: string
  readonly hint: string
  readonly remedy: Remedy | undefined
  /** The ids and oids of which each may have been meant: more than one where a name is ambiguous. */
  readonly candidates: readonly string[]
  readonly at: ErrorPosition | undefined
  readonly choices: readonly string[]
  /** Of a `conflict`: the value that is there now; undefined where that is not known. */
  readonly present: Json | undefined

  constructor(
    code: ErrorCode,
    subject: string,
    { detail, typed, hint = '', remedy, candidates = [], at, choices = [], present, cause }: ErrorDetail = {},
  ) {
    const { kind, message, untyped = message }: Wording = WORDINGS[code]
    const failure = (typed === '' ? untyped : message).replace('%', () => subject)
    super(detail ? `${failure} (${detail})` : failure, cause === undefined ? undefined : { cause })
    this.code = code
    this.kind = kind
    this.subject = subject
    this.detail = detail
    this.typed = typed ?? (at ? at.text.slice(at.from, at.to) : subject)
    this.hint = hint
    this.remedy = remedy
    this.candidates = candidates
    this.at = at
    this.choices = choices
    this.present = present
  }

  /** Returns the same error with another hint or remedy, of which a new one replaces both, or with a location. */
  with({ at = this.at, ...how }: Pick<ErrorDetail, 'hint' | 'remedy' | 'at'>): SessError {
    const { code, subject, detail, typed, hint, remedy, candidates, choices, present } = this
    const way = 'hint' in how || 'remedy' in how ? how : { hint, remedy }
    return new SessError(code, subject, {
      detail,
      typed,
      candidates,
      choices,
      present,
      at,
      ...way,
      cause: this,
    })
  }

  /** Whether the same call may succeed later: of the kinds `busy` and `conflict`. */
  get retryable(): boolean {
    return this.kind === 'busy' || this.kind === 'conflict'
  }

  /** Returns the error as plain data, as `--json` prints it. */
  data(): ErrorData {
    return {
      code: this.code,
      kind: this.kind,
      message: this.message,
      hint: this.hint,
      retryable: this.retryable,
      ...(this.at ? { at: this.at } : {}),
    }
  }
}

/** Returns whether something thrown is an error of one of some kinds. */
export const hasCode = (error: unknown, ...codes: readonly ErrorCode[]): error is SessError =>
  error instanceof SessError && codes.includes(error.code)

/** Returns whether an error means that another process took over the store and the work was not done. */
export const isFenced = (error: unknown): boolean => hasCode(error, 'fenced')

/** Errors of the system about the disk or permissions, not about a mistake in this program. */
const NO_SPACE: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])
const OF_SYSTEM: ReadonlySet<unknown> = new Set(['EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE'])

/** Errors of the system about a path that cannot be one. */
const OF_PATH: ReadonlySet<unknown> = new Set(['ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/** System calls that only read. */
const READING = /^(?:read|f?stat|lstat|statfs|access|scandir|opendir|readlink|realpath)$/

/** Returns the code of a failed system call; undefined where it failed by a mistake in this program. */
function codeOfSystem(code: unknown, syscall: unknown): ErrorCode | undefined {
  if (NO_SPACE.has(code)) return 'no-space'
  if (!OF_SYSTEM.has(code) && !OF_PATH.has(code)) return undefined
  const isRead = READING.test(String(syscall)) || (syscall === 'open' && code === 'EIO')
  return isRead ? 'unreadable-path' : 'cannot-write'
}

/**
 * Returns any thrown value as a SessError: itself, `no-space`, `cannot-write` or `unreadable-path` for a failed system
 * call, or a `bug` with its message.
 */
export function asSessError(error: unknown): SessError {
  if (error instanceof SessError) return error
  if (isTooLong(error))
    return new SessError('bad-value', 'the result', { typed: '', hint: 'ask for less of it', cause: error })
  const message = error instanceof Error ? error.message : String(error)
  const { code, syscall, path } = (error ?? {}) as { code?: unknown; syscall?: unknown; path?: unknown }
  const known = syscall === undefined ? undefined : codeOfSystem(code, syscall)
  if (known === undefined) return new SessError('bug', message, { cause: error })
  return new SessError(known, typeof path === 'string' ? path : message, { detail: message, cause: error })
}

/** Whether a text would have been longer than the engine allows: more than half a gigabyte. */
const isTooLong = (error: unknown): boolean =>
  (error instanceof RangeError && error.message === 'Invalid string length') ||
  (error instanceof Error && 'code' in error && error.code === 'ERR_STRING_TOO_LONG')
