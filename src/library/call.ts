import type { Actor } from '../model/operation.ts'
import type { Call } from '../verbs/open.ts'

/** The context of a call, as far as it differs from that of the store. */
export interface CallOptions {
  /** Stops the call with `stopped`: a write begins no more, and reading ends at its next step. */
  readonly signal?: AbortSignal | undefined
  /** The interface that calls, for the operation log; `library` by default. */
  readonly command?: string
  /** Whether a person calls, or a program, which is the default: `undo` of the command line takes back what persons did. */
  readonly actor?: Actor
  /** Read the store as it was right after an operation, as in `OpenOptions`. */
  readonly atOperation?: number | string
  /** Show what a write would do, and write nothing: `close` of the store that is returned ends the dry run. */
  readonly dryRun?: boolean
}

/** Returns the options of a call as verbs take them. */
export const callOf = ({ atOperation, signal, ...options }: CallOptions): Call => ({
  ...options,
  ...(signal && { signal }),
  ...(atOperation !== undefined && { at: `${atOperation}` }),
})
