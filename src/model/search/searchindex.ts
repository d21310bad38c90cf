import type { EntryHandle, Node } from '../node.ts'
import type { EntryText } from './entrytext.ts'
import type { Pieces } from './words.ts'

/** Entries that a session reaches. A union of what is given; it may name too many entries, never too few. */
export interface Coverage {
  readonly entries?: Iterable<EntryHandle>
  /** Everything that these entries reach, they included. */
  readonly paths?: Iterable<EntryHandle>
  /** Everything that is known of another session, as far as an entry on its path can reach it. */
  readonly session?: { readonly id: string; readonly upTo: EntryHandle }
  /** When the session was last added to, in milliseconds since 1970; null is unknown. */
  readonly time?: number | null
  /** Its titles and labels. */
  readonly names?: readonly string[]
}

/** A session as the index has it. It only grows: it may name more than the session's refs reach now, never less. */
export interface CoveredSession {
  readonly id: string
  /** When it was last added to, in milliseconds since 1970; null is unknown. */
  readonly time: number | null
  /** The titles and labels that it has ever had. */
  readonly names: readonly string[]
  /** An upper bound of the number of its entries. */
  readonly size: number
  /** Returns whether the session may reach an entry; false is certain. */
  mayReach(entry: EntryHandle): boolean
}

/**
 * All items of the outer list must occur, each in one of several forms, each form as pieces of words (see
 * `model/search/words.ts`).
 */
export type WantedPieces = readonly (readonly (readonly (readonly Pieces[])[])[])[]

/** Entries of a session that were stored close to each other. */
export interface CandidateGroup {
  /** Equal for the same group of stored entries, whichever session it was found by. */
  readonly id: number
  /** A bit for each of PLACES in which all wanted words may occur; the bit after them if they may occur anywhere. */
  readonly places: number
  /** Returns the session's entries in the group, the newest first. */
  entries(): Iterable<EntryHandle> | AsyncIterable<EntryHandle>
}

/** The result of a look-up of words. */
export interface Candidates {
  /** Returns the groups of a session's entries to look through, the newest first: only groups where `places` is not 0. */
  groups(session: string): Iterable<CandidateGroup>
}

/**
 * Maps words to the entries that contain them, and sessions to the entries that they reach. Derived: `fsck --rebuild`
 * rebuilds it.
 */
export interface SearchIndex {
  /**
   * Returns the sessions in the order in which their first entries were stored; of sessions with the same first entry the
   * one that was added to last comes first.
   */
  sessions(): Promise<readonly CoveredSession[]>
  /** Returns one of them; undefined where nothing is known of it. Throws `corrupt`. */
  session(id: string): Promise<CoveredSession | undefined>
  /**
   * Returns where all wanted words may occur. Entries that are not indexed yet are always included. Throws `corrupt`.
   */
  lookup(wanted: WantedPieces): Promise<Candidates>
  /** How many entries the index of words does not cover yet. */
  waiting(): number
  /** Begins to compare the index of words with what entries say. */
  check(): SearchIndexCheck
}

/** Compares the index of words with the texts of entries that it claims to cover. */
export interface SearchIndexCheck {
  /** Adds the texts of an entry. Entries are added in the order in which they were stored. */
  add(entry: EntryHandle, texts: readonly EntryText[]): Promise<void>
  /** Returns the problems that were found, in words. */
  end(): readonly string[]
}

/** Changes the search index together with a transaction. */
export interface SearchIndexWriter {
  /** Adds to the entries that a session reaches. */
  cover(session: string, coverage: Coverage): void
  /** Adds texts of an entry: of one that this transaction added, or more texts of an earlier one. */
  add(entry: EntryHandle, texts: readonly EntryText[]): void
  /** How many entries the index of words will not cover, with what this transaction added. */
  readonly waiting: number
  /**
   * Indexes pending entries, in whole groups, `most` of them; `read` returns the texts of an entry that an earlier
   * transaction added.
   */
  update(read: (node: Node) => Promise<readonly EntryText[]>, most?: number): Promise<void>
  /** Drops the index, to be made again in this transaction. */
  clear(): Promise<void>
}
