/* The data that the API answers, by the types of the verbs. */
import type {
  BranchDetail,
  Fsck,
  Hit,
  LogEntry,
  LoggedOperation,
  Moved,
  SessionRow,
  TreeRow,
  Turn,
  UsageStats,
} from '../verbs/types.ts'

/** A part of a list. */
export interface Page<T> {
  readonly items: readonly (T & { readonly cursor: string })[]
  readonly next: string | null
  readonly before: string | null
}

export type Session = Omit<SessionRow, 'parts'>
export type Turns = Page<Turn>
export type Branches = readonly BranchDetail[]
export type Row = Omit<TreeRow, 'cursor' | 'view' | 'added'>
export type Hits = Page<Hit>
export type Operations = Page<LoggedOperation>
export type Usage = UsageStats
export type Checked = Fsck

/** An operation with the refs that it moved. */
export interface Operation extends LoggedOperation {
  readonly moves: readonly Moved[]
}

/** Rows of a tree, parents before children. */
export interface RowWindow {
  readonly rows: readonly Row[]
  readonly total: number
  readonly isExact: boolean
}

/** An entry in full. */
export interface Entry extends Omit<LogEntry, 'view' | 'added'> {
  readonly branches: readonly string[]
  readonly labels: readonly string[]
  readonly digest: string
  readonly body: unknown
  readonly record: unknown
}

/** The server, as it describes itself. */
export interface About {
  readonly version: string
  readonly store: string
  readonly write: boolean
}

/** Returns how a session is called. */
export const titleOf = ({ title, prompt, id }: Pick<Session, 'title' | 'prompt' | 'id'>): string =>
  title ?? prompt ?? `session ${id.slice(0, 8)}`

/** Returns the branch that a session is on; null where its head is an entry. */
export const currentBranch = ({ head, branches }: Pick<Session, 'head' | 'branches'>): string | null =>
  head !== null && Object.hasOwn(branches, head) ? head : null

/** Returns the entry that a session is at. */
export const tipOf = ({ head, branches }: Pick<Session, 'head' | 'branches'>): string | null =>
  head === null ? null : (branches[head] ?? head)

/** Returns the whole cost of a session, as far as it is known. */
export const costOf = ({ cost, reportedCost }: Pick<Session, 'cost' | 'reportedCost'>): number | null =>
  cost ?? reportedCost
