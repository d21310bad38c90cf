import type { Oid } from '../../model/encoding/oid.ts'
import type { GraphFilter } from '../../model/graphfilter.ts'
import type { Line } from '../../text/text.ts'
import type { Hit, LogEntry, LoggedOperation, TreeRow } from '../../verbs/types.ts'
import type { Size } from '../terminal/terminal.ts'
import { KEYMAP, type Keymap } from './keymap.ts'
import type { Pane } from './layout.ts'
import { AT_START, type Scroll } from './scroll.ts'

/** A session as the list shows it. */
export interface SessionRow {
  readonly id: string
  readonly agent: string
  readonly title: string | null
  readonly prompt: string | null
  readonly project: string | null
  readonly cost: number | null
  readonly costComputed: boolean
  readonly live: boolean
  /** In milliseconds since 1970. */
  readonly updated: number | null
  readonly entries: number
}

/** The list of sessions, and the words that its rows must hold. */
export interface SessionsPane {
  /** Null until they are read. */
  readonly rows: readonly SessionRow[] | null
  readonly isPending: boolean
  /** Whether sessions changed since the list was read. */
  readonly isStale: boolean
  /** Those that hold the words of the search. */
  readonly shown: readonly SessionRow[]
  readonly search: string
  readonly scroll: Scroll
  /** Where agents keep sessions that could be imported, where the store has none. */
  readonly places: readonly FoundPlace[] | null
  readonly asksPlaces: boolean
}

/** Files of sessions that an agent keeps. */
export interface FoundPlace {
  readonly agent: string
  readonly files: number
}

/** An entry in a session. */
export interface EntryPlace {
  readonly session: string
  readonly oid: Oid
}

/** Which rows of a tree are asked for: the last ones, those from a position on, or those around an entry. */
export type WindowRequest = { readonly from: 'end' } | { readonly from: number } | { readonly around: Oid }

/** The hits of a search in a tree, by position. */
export interface TreeHits {
  readonly text: string
  readonly places: readonly { readonly oid: Oid; readonly position: number }[]
}

/** The tree of a session: of its rows, those around the cursor are loaded. */
export interface TreePane {
  readonly kind: 'tree'
  readonly session: string
  readonly filter: GraphFilter
  /** The loaded rows; the first one is at the position `first`. */
  readonly rows: readonly TreeRow[]
  readonly first: number
  readonly total: number
  readonly isExact: boolean
  readonly scroll: Scroll
  /** The entry at the cursor: it stays there when rows are added. */
  readonly at: Oid | null
  /** The rows that are being read. */
  readonly pending: WindowRequest | null
  /** Whether the session changed since the rows were read. */
  readonly isStale: boolean
  /** Why its rows could not be read; they are asked for again once the session changes. */
  readonly error: string | null
  /** The tip of the session when the rows were read; null before its first entry, or where none were. */
  readonly tip: Oid | null
  readonly hits: TreeHits | null
}

/** A row of a list. */
export type ListItem =
  | { readonly kind: 'entry'; readonly entry: LogEntry }
  | { readonly kind: 'operation'; readonly operation: LoggedOperation }
  | { readonly kind: 'hit'; readonly hit: Hit }
  | { readonly kind: 'line'; readonly line: Line; readonly at?: EntryPlace }

/** The subject of a list. */
export type ListSubject =
  | { readonly kind: 'log'; readonly session: string; readonly revision: string }
  | { readonly kind: 'operations' }
  | { readonly kind: 'prompts'; readonly session: string }
  | { readonly kind: 'hits'; readonly query: string }
  | { readonly kind: 'reader'; readonly session: string; readonly revision: string }
  | { readonly kind: 'context'; readonly revision: string }
  | { readonly kind: 'diff'; readonly a: string; readonly b: string }
  | { readonly kind: 'compare'; readonly a: string; readonly b: string }
  | { readonly kind: 'commands' }
  | { readonly kind: 'help' }

/** A list that is read page by page. */
export interface ListPane {
  readonly kind: 'list'
  readonly subject: ListSubject
  readonly items: readonly ListItem[]
  readonly scroll: Scroll
  /** Names the page that follows; null at the end. */
  readonly next: string | null
  readonly isPending: boolean
  /** Whether what it shows changed since it was read. */
  readonly isStale: boolean
  /** Why its rows could not be read. */
  readonly error: string | null
  /** The columns that its lines were laid out for. */
  readonly columns: number
  readonly search: string
}

export type MainPane = TreePane | ListPane

/** The entry beside the list, as lines. */
export interface Preview {
  /** Null where nothing is shown. */
  readonly of: string | null
  readonly columns: number
  readonly lines: readonly Line[]
  readonly top: number
}

/** A change that waits for a word of the user, and what it would do. */
export interface ChangePlan {
  readonly change: PlannedChange
  readonly lines: readonly Line[]
}

/** A change of the store: a verb with its input. */
export interface PlannedChange {
  readonly verb: string
  readonly input: Readonly<Record<string, unknown>>
  /** Its description, to be asked with a question mark. */
  readonly does: string
  /** The command that does the same. */
  readonly words: readonly string[]
  /** The tip that it was decided on, by the session. */
  readonly expected?: Readonly<Record<string, Oid | null>>
  /** The agent in which its session is resumed afterwards. */
  readonly resumeIn?: string
}

/** The names of what is typed into a line. */
export type PromptKind =
  | 'sessions'
  | 'tree'
  | 'list'
  | 'everywhere'
  | 'label'
  | 'branch'
  | 'export'
  | 'run'
  | 'agent'

/** A line that is being typed. */
export interface Prompt {
  readonly kind: PromptKind
  readonly text: string
  readonly at: EntryPlace | null
}

export interface StatusNotice {
  readonly text: string
  readonly isError: boolean
}

/** The end of the program: its exit code, and a text to print. */
export interface BrowserEnd {
  readonly code: number
  readonly output: string | null
}

/** The choice that is printed: a session, or also an entry of its tree. */
export type PickKind = 'session' | 'entry'

/** Everything that the browser shows. */
export interface State {
  /** The choice that is printed; then nothing is changed. Null in a browser that prints none. */
  readonly picks: PickKind | null
  /** The folder whose sessions are listed; null for all. */
  readonly folder: string | null
  readonly size: Size
  readonly keymap: Keymap
  /** Whether text searches at once, as in pi. */
  readonly typesToSearch: boolean
  readonly focus: Pane
  readonly sessions: SessionsPane
  readonly main: MainPane | null
  /** The views that Escape goes back to, the last one first. */
  readonly behind: readonly MainPane[]
  readonly preview: Preview
  readonly prompt: Prompt | null
  readonly plan: ChangePlan | null
  readonly marks: readonly EntryPlace[]
  readonly showsTimes: boolean
  /** The filter that trees begin with. */
  readonly filter: GraphFilter
  readonly notice: StatusNotice | null
  /** The commands that do what was done, the first one first. */
  readonly commands: readonly string[]
  /** A text that is printed at the end: a prompt to be sent again. */
  readonly text: string | null
  /** Whether an answer is awaited. */
  readonly waits: boolean
  readonly ending: BrowserEnd | null
}

const NO_PREVIEW: Preview = { of: null, columns: 0, lines: [], top: 0 }

/** How a browser begins. */
export interface BrowserStart {
  readonly size: Size
  readonly picks?: PickKind | null
  /** List only sessions of this folder and those below it. */
  readonly folder?: string | null
  readonly typesToSearch?: boolean
  readonly keymap?: Keymap
  /** A session whose tree is shown at once, and an entry of it. */
  readonly session?: string
  readonly filter?: GraphFilter
  readonly search?: string
}

/** Returns the state of a browser that has read nothing yet. */
export const initialState = ({
  size,
  picks = null,
  folder = null,
  typesToSearch = picks !== null,
  keymap = KEYMAP,
  session,
  filter = 'default',
  search = '',
}: BrowserStart): State => ({
  picks,
  folder,
  size,
  keymap,
  typesToSearch,
  focus: session === undefined ? 'sessions' : 'main',
  sessions: {
    rows: null,
    isPending: false,
    isStale: false,
    shown: [],
    search,
    scroll: AT_START,
    places: null,
    asksPlaces: false,
  },
  main: session === undefined ? null : treeOf(session, filter),
  behind: [],
  preview: NO_PREVIEW,
  prompt: null,
  plan: null,
  marks: [],
  showsTimes: false,
  filter,
  notice: null,
  commands: [],
  text: null,
  waits: false,
  ending: null,
})

/** Returns the tree of a session that is not read yet; its cursor goes to an entry, or to the end. */
export const treeOf = (session: string, filter: GraphFilter, at: Oid | null = null): TreePane => ({
  kind: 'tree',
  session,
  filter,
  rows: [],
  first: 0,
  total: 0,
  isExact: false,
  scroll: AT_START,
  at,
  pending: null,
  isStale: false,
  error: null,
  tip: null,
  hits: null,
})

/** Returns a list that is not read yet. */
export const listOf = (subject: ListSubject): ListPane => ({
  kind: 'list',
  subject,
  items: [],
  scroll: AT_START,
  next: null,
  isPending: false,
  isStale: false,
  error: null,
  columns: 0,
  search: '',
})

/** Returns a state whose last row says something. */
export const withNotice = (state: State, text: string, isError = false): State => ({
  ...state,
  notice: { text, isError },
})

/** Returns the row of the tree at a position, where it is loaded. */
export const rowAt = ({ rows, first }: TreePane, position: number): TreeRow | undefined =>
  rows[position - first]

/** Returns the session that the cursor of the list is at. */
export const sessionAt = ({ shown, scroll }: SessionsPane): SessionRow | undefined => shown[scroll.cursor]

/** Returns the session that the main pane or else the list is about. */
export function sessionOf({ main, sessions, focus }: State): string | undefined {
  const listed = sessionAt(sessions)?.id
  if (focus === 'sessions') return listed
  if (main?.kind === 'tree') return main.session
  const place = main?.kind === 'list' ? placeOf(main.items[main.scroll.cursor]) : undefined
  const subject = main?.kind === 'list' && 'session' in main.subject ? main.subject.session : undefined
  return place?.session ?? subject ?? listed
}

/** Returns the entry that an item of a list shows. */
function placeOf(item: ListItem | undefined): EntryPlace | undefined {
  switch (item?.kind) {
    case 'entry':
      return item.entry.session === null ? undefined : { session: item.entry.session, oid: item.entry.oid }
    case 'hit':
      return item.hit.oid === null ? undefined : { session: item.hit.session, oid: item.hit.oid }
    case 'line':
      return item.at
    default:
      return undefined
  }
}

/** Returns the entry at the cursor of the main pane. */
export function entryAt({ main, focus }: State): EntryPlace | undefined {
  if (!main || focus === 'sessions') return undefined
  if (main.kind === 'list') return placeOf(main.items[main.scroll.cursor])
  const row = rowAt(main, main.scroll.cursor)
  return row && { session: main.session, oid: row.oid }
}
