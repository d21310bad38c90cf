import type { Oid } from '../../model/encoding/oid.ts'
import { asSessError, type SessError } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { RefName } from '../../model/refname.ts'

/** A problem in a store. Codes are API. */
export interface Finding {
  readonly code: string
  /** The affected entry, ref, session or file. */
  readonly subject: string
  readonly message: string
  /** The affected refs, as `SESSION/NAME`; empty where none is affected or they cannot be determined. */
  readonly refs: readonly string[]
  /** The nearest intact entry before it; null where none is found. */
  readonly lastGood: Oid | null
}

/** The location of a finding: an entry, or refs with the nearest intact entry before the damage. */
export type FindingPlace =
  | { readonly handle: EntryHandle }
  | { readonly refs: readonly string[]; readonly lastGood?: Oid | null; readonly ref?: RefName }

/** Receives a finding. */
export type Report = (code: string, subject: string, message: string, place?: FindingPlace) => void

/** A finding with the handle of its entry, or with the ref that names a missing entry. */
export interface LocatedFinding extends Finding {
  readonly handle?: EntryHandle
  readonly ref?: RefName
}

/** Returns a finding at a location. */
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
})

/** Errors that prevent a check and say nothing about the store. */
const PREVENTS_CHECKS: ReadonlySet<string> = new Set([
  'no-space',
  'cannot-write',
  'unreadable-path',
  'busy',
  'stopped',
  'closed',
])

/** Returns whether an error is one of those. An I/O error of the disk is a finding. */
const preventsChecks = ({ code, cause }: SessError): boolean =>
  PREVENTS_CHECKS.has(code) && !(cause instanceof Error && 'code' in cause && cause.code === 'EIO')

/**
 * Runs a check and reports an error that it throws as a finding at `place`. Rethrows errors that prevent any check.
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

/** Returns a finding without its handle and ref name. */
export const withoutLocation = ({ code, subject, message, refs, lastGood }: LocatedFinding): Finding => ({
  code,
  subject,
  message,
  refs,
  lastGood,
})
