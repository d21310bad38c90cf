import type { VerbContext } from '../verbs/open.ts'

/** The store as a server of tools has it, and what its user allows. */
export interface Memory {
  /** Returns the context of a call; opens the store at the first one. Throws as the store is opened. */
  readonly context: (call: { readonly signal: AbortSignal; readonly command: string }) => Promise<VerbContext>
  /** Whether tools that write are offered. */
  readonly writes: boolean
  /** Whether secrets are shown as they are. */
  readonly showsSecrets: boolean
  /** The version of this program. */
  readonly version: string
  readonly asker: Asker
}

/** By what the session that asks is known. */
export interface Asker {
  /** Ids that its agent has for it. */
  readonly ids: readonly string[]
  /**
   * When its agent started the server, in milliseconds since 1970: without an id, the current session of the folder is
   * meant if it has grown since. Undefined for a server that has no folder.
   */
  readonly started?: number
}
