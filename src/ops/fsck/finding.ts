import { asSessError, type SessError } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import type { RefName } from '../../model/refname.ts'

/** One thing that is wrong with a store. Codes are API. */
export interface Finding {
  readonly code: string
  /** What is hurt: an entry, a ref, a session. */
  readonly subject: string
  readonly message: string
  /** The refs that it hurts, as `SESSION/NAME`: none where what is hurt is rebuilt, or cannot be told. */
  readonly refs: readonly string[]
  /** The nearest entry before it that is whole; null where none is found. */
  readonly lastGood: Oid | null
  /** Who must act, and what to type next. */
  readonly hint: string
}

/** The subject of a finding: an entry, or what refs name, and the nearest entry before that which is whole. */
export type FindingPlace =
  | { readonly handle: EntryHandle }
  | { readonly refs: readonly string[]; readonly lastGood?: Oid | null; readonly ref?: RefName }

/** Takes what is found. */
export type Report = (code: string, subject: string, message: string, place?: FindingPlace) => void

/** A finding, and the handle of the entry that it is of, or the ref that names what is missing. */
export interface LocatedFinding extends Finding {
  readonly handle?: EntryHandle
  readonly ref?: RefName
}

/** Gives a finding of a place. */
export const findingAt = (
  code: string,
  subject: string,
  message: string,
  place?: FindingPlace,
): LocatedFinding => ({
  code,
  subject,
  message,
  refs: [],
  lastGood: null,
  ...place,
  hint: hintOf(code),
})

/** What is in the way of any check, and says nothing of the store. */
const PREVENTS_CHECKS: ReadonlySet<string> = new Set([
  'no-space',
  'cannot-write',
  'busy',
  'stopped',
  'closed',
])

/** Tells whether an error is one of those; that a disk cannot be read is a finding. */
const preventsChecks = ({ code, cause }: SessError): boolean =>
  PREVENTS_CHECKS.has(code) && !(cause instanceof Error && 'code' in cause && cause.code === 'EIO')

/**
 * Runs a check; what it throws is a finding of the place that is given then. Throws what is in the way of any check.
 */
export async function attempt(
  report: Report,
  code: string,
  subject: string,
  check: () => Promise<void>,
  place: () => FindingPlace | undefined | Promise<FindingPlace> = () => undefined,
): Promise<void> {
  try {
    await check()
  } catch (thrown) {
    const error = asSessError(thrown)
    if (preventsChecks(error)) throw error
    report(code, subject, error.message, await place())
  }
}

/** Gives what is told of a finding: handles and names of refs are not. */
export const withoutLocation = ({
  code,
  subject,
  message,
  refs,
  lastGood,
  hint,
}: LocatedFinding): Finding => ({
  code,
  subject,
  message,
  refs,
  lastGood,
  hint,
})

/** Gives what to type for what was found. */
const hintOf = (code: string): string =>
  code === 'context'
    ? "type 'sess context SESSION/BRANCH' to see what is sent instead: nothing is lost"
    : mendedBy(code)

/** What is found in what follows from the rest. */
const REBUILT: ReadonlySet<string> = new Set(['index', 'near', 'journal', 'folder'])

const mendedBy = (code: string): string =>
  REBUILT.has(code)
    ? "type 'sess fsck --repair': it is rebuilt from the rest"
    : "type 'sess fsck --repair', with '--from DIR' where another store may have it"
