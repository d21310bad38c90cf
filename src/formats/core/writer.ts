import type { LinksBy } from '../../model/entry.ts'
import type { Json } from '../../model/json.ts'
import type { Oid } from '../../model/oid.ts'
import type { View } from '../../model/view.ts'
import type { Loss } from './losses.ts'

/** The place of an entry in a draft, from 0; parents stand before their children. */
export type Index = number

/** An entry as a writer takes it. */
export interface DraftEntry {
  readonly oid: Oid
  readonly type: string
  readonly body: Json
  readonly view: View
  /** Those of its parents that the draft has. */
  readonly parents: readonly Index[]
  /** Its links, but for those to entries that the draft does not have. */
  readonly links: LinksBy<Index>
  /** The newest entry that edits it. */
  readonly edit?: Index
  /** How many entries continue it. */
  readonly children: number
  /** When it was said, in milliseconds since 1970. */
  readonly time?: number
  /** The id that its source gave it. */
  readonly native?: string
  /** What its source held, where that is of the format that is written. */
  readonly value?: Json
}

/** A session, or a part of one, that is to be written. */
export interface Draft {
  /** What it is called where nothing else is asked for: its id in its own format, another one elsewhere. */
  readonly id: string
  readonly title?: string
  readonly cwd?: string
  /** In milliseconds since 1970. */
  readonly created: number
  /** The first value of its source, where that is of the format that is written and no entry. */
  readonly header?: Json
  /** How many entries it has. */
  readonly count: number
  /** Where it stands; undefined before the first entry. */
  readonly tip?: Index
  readonly branches: ReadonlyMap<string, Index>
  readonly labels: ReadonlyMap<string, Index>
  /** What choosing these entries left out. */
  readonly losses: readonly Loss[]
  /** Returns all entries in order, each read when it is asked for. */
  entries(): AsyncIterable<DraftEntry>
  /** Returns what is known of an entry without its record, at any time. */
  read(at: Index): Promise<Omit<DraftEntry, 'time' | 'native' | 'value'>>
  oid(at: Index): Promise<Oid>
}

/** A piece of a written session, usually a line with its newline, and the entry that it stands for. */
export interface WrittenLine {
  readonly text: string
  readonly entry?: Index
}

/** A session on its way into a file: its lines in order, and between them what they do not carry. */
export type Lines = AsyncIterable<WrittenLine | Loss>

/** What of a machine the names of folders tell in which agents keep sessions. */
export interface Whereabouts {
  /** The user's home, and the folder for what is temporary, without links. */
  readonly home: string
  readonly temporary: string
  /** Returns a path without links. */
  readonly real: (path: string) => string
  /** Returns the name by which Gemini CLI has registered the project in a folder, a plain one; undefined where it has not. */
  readonly geminiProject: (folder: string) => string | undefined
}

/** How sessions are written in one format. The same draft gives the same lines. */
export interface FormatWriter {
  /** Whether it takes all branches; else it is given one path. */
  readonly branched: boolean
  /** Returns whether its agent takes an id for a session's; any unless said. */
  readonly takesId?: (id: string) => boolean
  /** Returns a new session an id as its agent spells them, from a UUID: that itself unless said. */
  readonly idOf?: (uuid: string, created: number) => string
  /** Returns whether a value at the start of a source is its header; the first value is by default. */
  readonly isHeader?: (value: Json) => boolean
  /** Why no agent goes on with what is written, where none does. */
  readonly unresumed?: string
  /** Where its agent keeps a session: folders below the agent's own, and the file's name. */
  place(draft: Pick<Draft, 'id' | 'cwd' | 'created'>, machine?: Whereabouts): readonly string[]
  /** Whether its lines are a bundle of files, or rows that a database is made of: one file unless said. */
  readonly several?: 'bundle' | 'rows'
  /** Of several files: how many names of its place stand below the folder that all of them are named from. */
  readonly below?: number
  /** Returns what stands beside its file, by names from the same folder as that. */
  readonly sidecars?: (draft: Draft) => Promise<readonly WrittenSidecar[]>
  lines(draft: Draft): Lines
}

/** A small file that stands beside another. */
export interface WrittenSidecar {
  readonly name: string
  readonly text: string
}
