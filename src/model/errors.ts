import { type ErrorCode, type ErrorKind, type Remedy, WORDINGS, type Wording } from './errorcodes.ts'

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
  readonly detail?: string
  /** How to go on, in words that name no command. */
  readonly hint?: string
  /** How to go on, as data from which an interface words a hint that names its commands. */
  readonly remedy?: Remedy | undefined
  /** The ids and oids of which each may have been meant. */
  readonly candidates?: readonly string[]
  /** Where in a text that somebody typed it went wrong. */
  readonly at?: ErrorPosition
  /** The names that are allowed at that position: one of them may have been meant. */
  readonly choices?: readonly string[]
  readonly cause?: unknown
}

/** An error with a stable code and who must act. */
export class SessError extends Error {
  override readonly name = 'SessError'
  readonly code: ErrorCode
  readonly kind: ErrorKind
  readonly hint: string
  readonly remedy: Remedy | undefined
  /** The ids and oids of which each may have been meant: more than one where a name is ambiguous. */
  readonly candidates: readonly string[]
  readonly at: ErrorPosition | undefined
  readonly choices: readonly string[]

  constructor(
    code: ErrorCode,
    subject: string,
    { detail, hint = '', remedy, candidates = [], at, choices = [], cause }: ErrorDetail = {},
  ) {
    const wording: Wording = WORDINGS[code]
    const message = wording.message.replace('%', () => subject) + (detail ? ` (${detail})` : '')
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.kind = wording.kind
    this.hint = hint
    this.remedy = remedy
    this.candidates = candidates
    this.at = at
    this.choices = choices
  }

  /** Returns an error that another process reported, with its message. */
  static received(code: ErrorCode, message: string, how: Pick<ErrorDetail, 'hint' | 'remedy'>): SessError {
    const error = new SessError(code, '', how)
    error.message = message
    return error
  }

  /** Returns the same error with another hint or remedy, of which a new one replaces both, or with a location. */
  with({
    at = this.at,
    ...how
  }: Pick<ErrorDetail, 'hint' | 'remedy'> & { readonly at?: ErrorPosition | undefined }): SessError {
    const error = new SessError(this.code, '', {
      ...('hint' in how || 'remedy' in how ? how : { hint: this.hint, remedy: this.remedy }),
      candidates: this.candidates,
      choices: this.choices,
      cause: this,
      ...(at ? { at } : {}),
    })
    error.message = this.message
    return error
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
const OF_SYSTEM: { readonly [code: string]: ErrorCode } = {
  ENOSPC: 'no-space',
  EDQUOT: 'no-space',
  EIO: 'cannot-write',
  EROFS: 'cannot-write',
  EACCES: 'cannot-write',
  EPERM: 'cannot-write',
  EMFILE: 'cannot-write',
  ENFILE: 'cannot-write',
}

/**
 * Returns any thrown value as a SessError: itself, `no-space` or `cannot-write` for a failed system call, or a `bug`
 * with its message.
 */
export function asSessError(error: unknown): SessError {
  if (error instanceof SessError) return error
  const message = error instanceof Error ? error.message : String(error)
  const { code, syscall, path } = (error ?? {}) as { code?: unknown; syscall?: unknown; path?: unknown }
  if (typeof code === 'string' && syscall !== undefined && Object.hasOwn(OF_SYSTEM, code))
    return new SessError(OF_SYSTEM[code] as ErrorCode, typeof path === 'string' ? path : message, {
      detail: message,
      cause: error,
    })
  return new SessError('bug', message, { cause: error })
}
