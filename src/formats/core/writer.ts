import type { LinksBy } from '../../model/encoding/entry.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { isObject, type Json, type JsonObject, jsonText } from '../../model/json.ts'
import type { View } from '../../model/view.ts'
import type { Loss, LossCode } from './losses.ts'
import { uuidOf } from './uuid.ts'

/** The position of an entry in a draft, from 0; parents come before their children. */
export type Index = number

/** An entry as a writer takes it. */
export interface DraftEntry {
  readonly oid: Oid
  readonly type: string
  readonly body: Json
  readonly view: View
  /** Those of its parents that the draft has. */
  readonly parents: readonly Index[]
  /** Its links, without those to entries outside the draft. */
  readonly links: LinksBy<Index>
  /** The newest entry that edits it. */
  readonly edit?: Index
  /** How many entries continue it. */
  readonly children: number
  /** In milliseconds since 1970. */
  readonly time?: number
  /** The id that its source gave it. */
  readonly native?: string
  /** The value of its record, if that is of the format that is written. */
  readonly value?: Json
}

/** A session, or a part of one, that is to be written. */
export interface Draft {
  /** Its default id: its own in its own format, a new one elsewhere. */
  readonly id: string
  readonly title?: string
  /** The first words of its user, where people read it. */
  readonly prompt?: string
  readonly cwd?: string
  /** In milliseconds since 1970. */
  readonly created: number
  /** The first value of its source, where that is of the format that is written and no entry. */
  readonly header?: Json
  /** How many entries it has. */
  readonly count: number
  /** The entry that the session is at; undefined before the first. */
  readonly tip?: Index
  readonly branches: ReadonlyMap<string, Index>
  readonly labels: ReadonlyMap<string, Index>
  /** The losses of the selection of these entries. */
  readonly losses: readonly Loss[]
  /** Returns all entries in order, each read when it is asked for. */
  entries(): AsyncIterable<DraftEntry>
  /** Returns what is known of an entry without its record, at any time. */
  read(at: Index): Promise<Omit<DraftEntry, 'time' | 'native' | 'value'>>
  oid(at: Index): Promise<Oid>
}

/** A part of a written session, usually a line with its newline, and the entry that it represents. */
export interface WrittenLine {
  readonly text: string
  readonly entry?: Index
}

/** A session on its way into a file: its lines in order, and between them what they do not carry. */
export type Lines = AsyncIterable<WrittenLine | Loss>

/** The properties of a machine that appear in the names of session folders. */
export interface Whereabouts {
  /** The user's home, and the folder for what is temporary, without links. */
  readonly home: string
  readonly temporary: string
  /** Returns a path without links. */
  readonly real: (path: string) => string
  /**
   * Returns the plain name under which Gemini CLI has registered the project of a folder; undefined if it has none.
   */
  readonly geminiProject: (folder: string) => string | undefined
  /** The name that Claude Code gives the folder of every project, where its user chose one. */
  readonly claudeProject?: string
}

/** Writes sessions in one format. Equal drafts make equal lines. */
export interface FormatWriter {
  /** Whether it writes all branches; otherwise it is called with one path. */
  readonly branched: boolean
  /** Returns whether its agent accepts an id of a session; any by default. */
  readonly takesId?: (id: string) => boolean
  /** Returns the id of a new session in the agent's form, from a UUID; the UUID itself by default. */
  readonly idOf?: (uuid: string, created: number) => string
  /** Returns whether a value at the start of a source is its header; the first value is by default. */
  readonly isHeader?: (value: Json) => boolean
  /** Whether it is for people to read: it has the id that the session has in the store. */
  readonly isForPeople?: true
  /** The reason why no agent resumes the result, if none does. */
  readonly unresumed?: string
  /** Where its agent keeps a session: folders below the agent's own, and the file's name. */
  place(draft: Pick<Draft, 'id' | 'cwd' | 'created'>, machine?: Whereabouts): readonly string[]
  /** Whether its lines are a stream of several files, or rows for a database; one file by default. */
  readonly several?: 'bundle' | 'rows'
  /** For several files: how many names of `place` are below the folder to which the files are relative. */
  readonly below?: number
  /** Returns the sidecar files, named relative to the same folder as the file. */
  readonly sidecars?: (draft: Draft) => Promise<readonly WrittenSidecar[]>
  lines(draft: Draft): Lines
}

/** A small sidecar file. */
export interface WrittenSidecar {
  readonly name: string
  readonly text: string
}

/** Returns a value as a line, with the entry that it represents. */
export const lineOf = (value: Json, entry?: Index): WrittenLine => ({
  text: `${jsonText(value)}\n`,
  ...(entry !== undefined && { entry }),
})

/** Returns the record of an entry of the format itself as its source held it, else its body. */
export const sourceRecord = ({ value, body }: Pick<DraftEntry, 'value' | 'body'>): JsonObject =>
  isObject(value) ? value : isObject(body) ? body : {}

/** Returns the content of a message, a text alone as it is. */
export const shortened = (content: readonly JsonObject[]): Json =>
  content.length === 1 && typeof content[0]?.text === 'string' ? content[0].text : content

/** Returns the losses of an entry, by their codes. */
export const lossesOf = (oid: Oid, codes: Iterable<LossCode>): Loss[] =>
  Array.from(codes, (code) => ({ code, oid }))

/** Returns what a session is called: its title, the first words of its user, or its id. */
export const nameOf = ({ title, prompt, id }: Pick<Draft, 'title' | 'prompt' | 'id'>): string =>
  title ?? prompt ?? id

/** Returns the losses of a format that has no labels. */
export const lostLabels = ({ labels }: Draft): Loss[] =>
  Array.from(labels.keys(), (subject) => ({ code: 'label', subject }))

/** Returns the loss of a format that has no title. */
export const lostTitle = ({ title }: Draft): Loss[] =>
  title === undefined ? [] : [{ code: 'title', subject: title }]

/** Assigns unique UUIDs to written records: the same for the same entries in the same order. */
export class UniqueUuids {
  readonly #taken = new Set<string>()

  /** Returns an id for a part of an entry, or a wanted one if that is free. */
  next(oid: Oid, part: string, wanted?: string): string {
    let id = wanted ?? uuidOf(oid, part)
    for (let n = 1; this.#taken.has(id); n++) id = uuidOf(oid, part, n)
    this.#taken.add(id)
    return id
  }
}
