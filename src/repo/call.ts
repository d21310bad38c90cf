import type { Actor } from '../model/operation.ts'
import type { Zone } from '../model/time.ts'
import type { CallTerms } from './callterms.ts'

/** The context of one call of an operation: it travels with the call, and not with the open store. */
export interface CallContext {
  /** Stops the call: no unit of work begins after it aborts, and reading ends at its next step with `stopped`. */
  readonly signal: AbortSignal | undefined
  /** The command as typed, or the interface that calls: for the operation log. */
  readonly command: string
  /** Whether a person called, or a program: for the operation log. */
  readonly actor: Actor
  /** Read the store as it was right after an operation, by its number, its id or the time: nothing can be written. */
  readonly at: string | undefined
  /** The time zone of `at` and of the times in revisions; UTC by default. */
  readonly zone: Zone | undefined
  /** The terms on which the call writes; undefined where it has none. */
  readonly terms?: CallTerms | undefined
}

/** The parts of its context that a call sets; the others are those of the store, or of the call that it is made of. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly command?: string | undefined
  readonly actor?: Actor | undefined
  readonly at?: string | undefined
  readonly zone?: Zone | undefined
  readonly terms?: CallTerms | undefined
  /**
   * Write to a scratch folder, which is removed once the call is closed: what is written is visible in the call, and
   * nothing of the store is changed.
   */
  readonly dryRun?: boolean | undefined
}

/** Returns a context with some parts set. */
export const withOptions = (context: CallContext, options: CallOptions): CallContext => ({
  signal: options.signal ?? context.signal,
  command: options.command ?? context.command,
  actor: options.actor ?? context.actor,
  at: options.at ?? context.at,
  zone: options.zone ?? context.zone,
  terms: options.terms ?? context.terms,
})
