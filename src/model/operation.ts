import { encode } from './encoding/canonical.ts'
import type { Json } from './json.ts'
import type { RefName } from './refname.ts'

/** The value of a ref: an oid as text, or a small map. Compared by its canonical bytes. */
export type RefValue = Json

/** Returns whether two values of a ref are equal, or both missing. */
export function sameValue(a: RefValue | undefined, b: RefValue | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined || typeof a !== 'object' || typeof b !== 'object') return false
  return Buffer.compare(encode(a), encode(b)) === 0
}

/** One move of a ref; undefined means that there is no such ref, before or after. */
export interface RefMove {
  readonly name: RefName
  readonly old: RefValue | undefined
  readonly new: RefValue | undefined
}

/** The relation of an operation to an earlier one: it undid or redid it, or restored all refs to their values after it. */
export interface Reversal {
  readonly kind: 'undo' | 'redo' | 'restore'
  /** The number of the other operation; 0 is the state before the first. */
  readonly operation: number
}

/** The maker of an operation: a person by a command or a page, or a program such as an agent, a hook or a script. */
export type Actor = 'person' | 'program'

/** The ref changes of one command. */
export interface Operation {
  /** Consecutive from 1. */
  readonly number: number
  /** The hash of everything else in it and of the id before it, which `fsck` verifies. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
  /** `user@host` of the process. */
  readonly who: string
  readonly actor: Actor
  /** The command as typed, or the interface that made it: `library`. */
  readonly command: string
  readonly moves: readonly RefMove[]
  /** Of an undo, a redo and a restore. */
  readonly reversal?: Reversal
  /** The key of the call that made it, by which a repeated call is recognized. */
  readonly key?: string
}

/** The state of the operation log. */
export interface OperationLog {
  /** The number of the newest operation, 0 before the first. */
  readonly latest: number
  /** The newest operation that was dropped by retention, and its id: 0 and '' where none was. */
  readonly dropped: { readonly operation: number; readonly id: string }
  /** How many transactions with an operation were committed; appends joined into one operation count each. */
  readonly commits: number
}

/** A range of numbers of operations. */
export interface OperationRange {
  /** The number before the first. */
  readonly after: number
  readonly upTo: number
  /** Whether the newest comes first. */
  readonly reverse?: boolean
}

/** A point in the history of a store: an operation, and a commit, of which one operation may have several. */
export interface CommitPoint {
  readonly operation: number
  readonly commit: number
}
