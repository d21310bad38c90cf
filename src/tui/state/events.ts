import type { Oid } from '../../model/encoding/oid.ts'
import type { GraphFilter } from '../../model/graphfilter.ts'
import type { Line } from '../../text/text.ts'
import type { TreeWindow } from '../../verbs/types.ts'
import type { PressedKey } from '../terminal/keys.ts'
import type { Size } from '../terminal/terminal.ts'
import type {
  EntryPlace,
  FoundPlace,
  ListItem,
  ListSubject,
  PlannedChange,
  SessionRow,
  State,
  WindowRequest,
} from './state.ts'

/** Something to be done outside of the state; most answer with an event. */
export type BrowserEffect =
  | { readonly kind: 'read-sessions'; readonly folder: string | null }
  | {
      readonly kind: 'read-window'
      readonly session: string
      readonly filter: GraphFilter
      readonly request: WindowRequest
      readonly limit: number
    }
  | { readonly kind: 'fold'; readonly at: EntryPlace; readonly isOpen: boolean; readonly filter: GraphFilter }
  | { readonly kind: 'find-parent' | 'find-child'; readonly at: EntryPlace; readonly filter: GraphFilter }
  | { readonly kind: 'find'; readonly session: string; readonly filter: GraphFilter; readonly text: string }
  | {
      readonly kind: 'read-page'
      readonly subject: ListSubject
      readonly after: string | null
      readonly columns: number
      readonly limit: number
    }
  | { readonly kind: 'read-preview'; readonly of: string; readonly columns: number }
  | { readonly kind: 'plan'; readonly change: PlannedChange }
  | { readonly kind: 'perform'; readonly change: PlannedChange }
  | { readonly kind: 'copy'; readonly of: string }
  | { readonly kind: 'edit'; readonly of: string }
  | { readonly kind: 'edit-text'; readonly text: string }
  | { readonly kind: 'resume'; readonly session: string; readonly format?: string }
  | { readonly kind: 'read-places' }
  | { readonly kind: 'run'; readonly words: string }
  | { readonly kind: 'suspend' }

/** Something that happened. */
export type Event =
  | { readonly kind: 'key'; readonly key: PressedKey }
  | { readonly kind: 'resized'; readonly size: Size }
  | { readonly kind: 'ended'; readonly code: number }
  | { readonly kind: 'sessions'; readonly rows: readonly SessionRow[] }
  | { readonly kind: 'places'; readonly places: readonly FoundPlace[] }
  | {
      readonly kind: 'window'
      readonly session: string
      readonly filter: GraphFilter
      readonly request: WindowRequest
      readonly window: TreeWindow
      /** Where the entry that was asked for stands, or the row before it where a filter hides it. */
      readonly anchor: number | null
      /** The tip of the session. */
      readonly tip: Oid | null
    }
  /** An entry to go to, as an answer to a question where it is; null where there is none. */
  | { readonly kind: 'place'; readonly session: string; readonly oid: Oid | null }
  | { readonly kind: 'folded'; readonly session: string; readonly oid: Oid }
  /** The counts of a tree that were estimates are exact now. */
  | { readonly kind: 'counted'; readonly session: string; readonly filter: GraphFilter }
  | {
      readonly kind: 'found'
      readonly session: string
      readonly text: string
      readonly places: readonly { readonly oid: Oid; readonly position: number }[]
    }
  | {
      readonly kind: 'page'
      readonly subject: ListSubject
      readonly items: readonly ListItem[]
      readonly isFirst: boolean
      readonly next: string | null
      readonly columns: number
    }
  | {
      readonly kind: 'preview'
      readonly of: string
      readonly columns: number
      readonly lines: readonly Line[]
    }
  | { readonly kind: 'planned'; readonly change: PlannedChange; readonly lines: readonly Line[] }
  | {
      readonly kind: 'performed'
      readonly change: PlannedChange
      readonly text: string
      /** The prompt that was taken back, to be sent again. */
      readonly prompt: string | null
    }
  | { readonly kind: 'moved'; readonly sessions: readonly string[] }
  /** A remark; `command` is the line that does what was done. */
  | { readonly kind: 'noted'; readonly text: string; readonly isError: boolean; readonly command?: string }
  | { readonly kind: 'failed'; readonly effect: BrowserEffect; readonly text: string }

/** A state, and what is to be done for it. */
export interface Step {
  readonly state: State
  readonly effects: readonly BrowserEffect[]
}

/** Returns a state for which nothing is to be done. */
export const only = (state: State): Step => ({ state, effects: [] })
