import type { GraphFilter } from '../model/graphfilter.ts'
import type { Zone } from '../model/time.ts'
import type { VerbContext } from '../verbs/open.ts'

/** How a browser is called. */
export interface BrowseCall {
  readonly context: VerbContext
  readonly zone: Zone
  readonly colored: boolean
  readonly ascii: boolean
  /** Whether a choice is printed and nothing is changed; then it has the terminal, wherever its output goes. */
  readonly picks: boolean
  readonly keys: 'letters' | 'pi'
  /** Keys that differ from the usual ones: `action=key` words. */
  readonly bindings: string
  readonly session?: string
  readonly filter: GraphFilter
  readonly search: string
  /** Runs a program that has the terminal, in a folder. Returns its exit code, undefined where it cannot be started. */
  readonly runProgram: (words: readonly string[], folder?: string) => Promise<number | undefined>
  /** Runs a `sess` command that has the terminal. */
  readonly runCommand: (words: string) => Promise<void>
  /** Opens a text in the user's editor. Throws `no-editor`. */
  readonly editText: (text: string) => Promise<void>
}

/** How a browser ended: the exit code, and what is to be printed. */
export interface BrowseEnd {
  readonly code: number
  readonly output: string | null
}

/** How a server is called. */
export interface ServeCall {
  readonly context: VerbContext
  readonly write: boolean
  /** 0 for one that is free. */
  readonly port: number
  readonly version: string
  /** Takes a line for each request; without it, none is made. */
  readonly log?: (line: string) => void
}

/** A server that runs. */
export interface ServingInterface {
  readonly url: string
  readonly token: string
  /** The addresses of other servers of the store. */
  readonly others: readonly string[]
  close(): Promise<void>
}

/** The interfaces that commands start; each is loaded when it is started. */
export interface Interfaces {
  /** Returns undefined where there is no terminal. Throws `bad-usage` for keys of an action that there is not. */
  readonly browse: (call: BrowseCall) => Promise<BrowseEnd | undefined>
  /** Throws `bad-usage` for a port that is in use. */
  readonly serve: (call: ServeCall) => Promise<ServingInterface>
}
