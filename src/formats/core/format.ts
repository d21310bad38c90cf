import type { GitFacts } from '../../model/gitfacts.ts'
import type { Json } from '../../model/json.ts'
import type { ReportedCost } from '../../model/logtotals.ts'
import type { Spawn } from '../../model/spawn.ts'
import type { Usage, UsageCounts, View } from '../../model/view.ts'
import type { KnownFormat } from './known.ts'
import type { Sample } from './sample.ts'
import type { Splitter, Unit, Warning } from './splitter.ts'
import type { FormatWriter } from './writer.ts'

/** The position of a record in its source, from 0. While a source is read, an entry is known by its record's. */
export type RecordIndex = number

/** The index of no record: the parent of a root, and records that are no part of a tree. */
export const NONE: RecordIndex = -1

/** An entry as a reader parsed it. Its parents and links are positions of earlier records. */
export interface ParsedEntry {
  readonly type: string
  /**
   * The part of the unit's value that carries the conversation: the same keys at the same places, without the fields
   * that are not on the format's list, at every depth. Parts that are taken whole are the very same objects, not copies.
   */
  readonly body: Json
  /** The keys that lead from the unit's value to the body; absent where the body is part of the value itself. */
  readonly bodyPath?: readonly string[]
  readonly parent: RecordIndex | null
  /** Further parents, of a merge. */
  readonly otherParents?: readonly RecordIndex[]
  readonly links?: {
    readonly firstKept?: RecordIndex
    readonly kept?: readonly RecordIndex[]
    readonly target?: RecordIndex
  }
}

/** An entry that is stored again below another parent, because a message before it has changed. */
export interface RechainedEntry {
  /** The record that carries the entry as it was. */
  readonly original: RecordIndex
  readonly parent: RecordIndex | null
  readonly links?: ParsedEntry['links']
  /** The time of the message, in milliseconds since 1970. */
  readonly time?: number | undefined
  /** Its id in the source. */
  readonly native?: string | undefined
}

/** The result of reading one unit. */
export interface Reading {
  /** The entry that the record carries, if any. */
  readonly entry?: ParsedEntry | undefined
  /** The time of the message, in milliseconds since 1970. */
  readonly time?: number | undefined
  /** Its id in the source. */
  readonly native?: string | undefined
  /** The usage that it reports for the active leaf after it, beyond what earlier records report: plain sums are right. */
  readonly usage?: UsageCounts | undefined
  /** For a root: the id of the parent that it names and its source does not have. Another source may have it. */
  readonly dangling?: string | undefined
  readonly warnings?: readonly Warning[] | undefined
  /** Records whose entries were replaced by others, so that they end no branch, unless they are parsed again later. */
  readonly superseded?: readonly RecordIndex[]
  /** The entries that are chained again after this unit. Each has a record without bytes, at the positions after the unit's. */
  readonly rechained?: readonly RechainedEntry[]
}

/** The place in another session at which a session begins that refers to its history instead of copying it. */
export type Base = {
  /** The id of that session in its own system or, where a session may have several files, of the file. */
  readonly session: string
  /** The id of the last record that is inherited. */
  readonly native?: string
  /** The number, over the whole history, of the first record that is not inherited. */
  readonly ordinal?: number
  /** The byte after the last record that is inherited, in the unpacked file. */
  readonly offset?: number
}

/**
 * Tells the reader of a source that begins at a base what it would know had the history before the base been copied: what
 * the nearest entry that names a model sets, and the cumulative usage there, as the format's `counter` returns it.
 */
export type Inherited = {
  readonly model?: string
  readonly thinking?: string
  readonly counter?: Usage
}

/** A result whose whole text is in a file beside a session. */
export interface OutputPlace {
  /** The record that carries the entry with the result. */
  readonly record: RecordIndex
  /** The id of the call that it answers. */
  readonly call: string
  /** The id, in its own system, of the session whose file it is; absent where it is one of this session. */
  readonly session?: string
}

/** The facts about a session that were read so far. */
export interface Facts {
  /** The session's id in its own system, if the content has one. */
  readonly id?: string
  /** The id of its file, by which others refer to it, where a session may have several and it differs from the session's. */
  readonly page?: string
  readonly title?: string
  /** The working directory, as it stands at the end. */
  readonly cwd?: string
  /** All folders that it worked in, in the order of their first use, if there are several. */
  readonly folders?: readonly string[]
  /** The state of the git repository that it worked in, as it stands at the end. */
  readonly git?: GitFacts
  /** The addresses of the pull requests that it names, or `owner/name#number`; each once. */
  readonly pullRequests?: readonly string[]
  /** The model, where no entry names one. */
  readonly model?: string
  /** The newest version of its agent that wrote it. */
  readonly version?: string
  /** The id, in its own system, of the session in which it goes on. */
  readonly continuedIn?: string
  /** The id, in its own system, of the session that started it. */
  readonly parent?: string
  /** Whether it is the transcript of a sub-agent, which may have the id of the session that started it. */
  readonly subagent?: boolean
  /** The entries that started sub-agents, by the ids of the sub-agents' sessions in their own system. */
  readonly subagents?: ReadonlyMap<string, RecordIndex>
  /** How its sub-agents were started, by the ids of their sessions in their own system. */
  readonly spawns?: ReadonlyMap<string, Spawn>
  /** The run of several sub-agents that it is a part of. */
  readonly run?: string
  /** The entries that started runs of sub-agents, by the names of the runs. */
  readonly runs?: ReadonlyMap<string, RecordIndex>
  /** The results whose whole texts are in files beside a session, by the names of the files relative to its folder. */
  readonly outputs?: ReadonlyMap<string, OutputPlace>
  /** The total usage of its model calls, if the source does not have it for each call. */
  readonly usage?: UsageCounts
  /** The cost of the whole session as its agent reports it. */
  readonly reported?: ReportedCost
  /**
   * The entries that started sub-agents without naming them, by the start of the prompt as `promptIn` returns it.
   * Present if sub-agents are recognised by their prompt.
   */
  readonly subagentPrompts?: ReadonlyMap<string, RecordIndex>
  /** In milliseconds since 1970. */
  readonly created?: number
  /** The entries that the user has labelled. */
  readonly labels?: ReadonlyMap<string, RecordIndex>
  /** The newest entry of each branch that the source names. */
  readonly branches?: ReadonlyMap<string, RecordIndex>
  /** The files that its entries refer to, by the SHA-256 of their bytes in lowercase hex. */
  readonly blobs?: ReadonlySet<string>
}

/**
 * Reads the units of one source in order. Prefix-stable: the reading of a unit does not depend on later units, so that
 * a file that grows changes no oid that was assigned.
 */
export interface FormatReader {
  read(unit: Unit): Reading
  /**
   * Returns the agent's own active leaf among the entries read so far: the entry that the agent would resume from.
   * Null if there is none.
   */
  active(): RecordIndex | null
  facts(): Facts
}

/** Where sidecar files are: in a folder, or in the session's own folder under names derived from its name. */
type SidecarPlace =
  | {
      /**
       * Returns that folder, relative to the session's, from the names of the session's file, of its folder and of the
       * folders above, the nearest first. Subfolders of '' (the session's folder) and of `..` are not searched.
       */
      readonly folder: (name: string, folder: string, above: readonly string[]) => string | undefined
      /** Whether that folder belongs to this session alone, so that its subfolders are searched wherever it is. */
      readonly own?: boolean
      /** Whether a file belongs to the session and is no session of its own, from its path in that folder, with `/`. */
      readonly holds: (path: string) => boolean
    }
  | { readonly names: (name: string) => readonly string[] }

/** The sidecar files that an agent keeps for a session. */
export type SidecarFiles = SidecarPlace & {
  /** Whether entries refer to files by the SHA-256 of their bytes. */
  readonly blobs?: boolean
  /** Whether a sidecar file may hold the whole result of a tool, from its path. */
  readonly isOutput?: (path: string) => boolean
  /** Returns the facts in a sidecar file, from its path and its JSON. */
  readonly facts?: (path: string, value: Json) => Facts
  /** The sidecar file of JSON that states the version of its schema, in which field, and the newest one that is known. */
  readonly version?: { readonly path: string; readonly field: string; readonly newest: string }
  /** Collects the facts in the lines of a sidecar file of JSON lines. Only lines that contain the mark are parsed. */
  readonly lines?: {
    readonly path: string
    readonly mark: string
    /** Returns a function that takes a line and returns the facts so far. */
    readonly collect: () => (line: Json) => Facts
  }
}

/** How an agent names the folder in which it keeps the sessions of a project. */
export interface ProjectFolderName {
  /** Returns its name for the path of a project. */
  readonly name: (project: string) => string
  /** A file in it that names projects, and the function that returns their paths from its JSON. */
  readonly index?: { readonly file: string; readonly projects: (value: Json) => readonly string[] }
}

/** A file in which an agent notes the project of sessions. */
export interface ProjectNote {
  /** Relative to the folder of the session. */
  readonly file: string
  /** Returns the path of the project in its text; undefined if there is none. */
  readonly project: (text: string) => string | undefined
}

/** Another shape in which a format's sessions can be written, and the program that resumes it, if any. */
export interface Variant {
  readonly writer: FormatWriter
  readonly agent?: Agent
}

/** One agent's session format: how it is detected, read, viewed and written. Pure: bytes in, values out. */
export interface Format {
  /** Its name in listings and in `--format`. */
  readonly name: string
  /** The dialect in entry types: the part before the slash. */
  readonly dialect: string
  /** The number of its reading. A log keeps the reading that it began with. */
  readonly reading: number
  /** Whether its files hold conversations, so that an import of a folder takes them without `--all`. */
  readonly conversational: boolean
  /** Whether its agent rewrites the whole file when it changes, so that the file at a path stays the same session. */
  readonly rewrittenWhole?: boolean
  /**
   * The name of the file that has the same conversation in whole. Beside such a file, a source of this format in a folder
   * makes no session.
   */
  readonly yieldsTo?: string
  /** Whether a source is of this format. The first format of the registry that returns true is used. */
  detect(sample: Sample): boolean
  readonly splitter: () => Splitter
  /** Returns a splitter for a source from a later unit on, where `splitter` looks at how the source begins. */
  readonly laterSplitter?: () => Splitter
  /**
   * Returns a reader for a source, from the names of its file, its folder and the folders above, the nearest first, and from
   * the history that it stands on, if it has a base.
   */
  reader(name: string, folder?: string, above?: readonly string[], inherited?: Inherited): FormatReader
  /** Returns the base that the first record of a source names. */
  readonly base?: (first: Json) => Base | undefined
  /** Returns the number of a record over the whole history, inherited records included. */
  readonly ordinal?: (record: Json) => number | undefined
  /** Returns the cumulative usage that a record holds, if its agent counts over the whole history. */
  readonly counter?: (record: Json) => Usage | undefined
  /** How its agent names the folder in which it keeps the sessions of a project, where the name shows the project. */
  readonly projectFolder?: ProjectFolderName
  /**
   * Returns the files in which its agent notes the project of a session, the surest first, from the names of the session's
   * folder and of the folders above.
   */
  readonly projectNotes?: (folder: string, above: readonly string[]) => readonly ProjectNote[]
  /** How many levels above its folder the project of a session is, from the names of its file and folder. */
  readonly projectLevels?: (name: string, folder?: string) => number | undefined
  /** The number of bytes at the start of a source that its agent overwrites in place; none by default. */
  readonly mutablePrefix?: (head: Uint8Array) => number
  /** The sidecar files of a session, where its agent keeps some. */
  readonly sidecars?: SidecarFiles
  /** Returns the full view of an entry of this dialect, from its kind (the part of its type after the slash) and body. Never throws. */
  view(kind: string, body: Json): View
  /**
   * The usage that a record holds outside of the body of its entry, from the record's value, by the entry's kind. The body
   * has no usage where copies of a session rewrite it or releases add to it.
   */
  readonly usage?: Readonly<Record<string, (record: Json) => Usage | undefined>>
  /** The fields of a record that are its body, by kind of entry; undefined if they are not declared. */
  readonly fields?: ReadonlyMap<string, readonly string[]>
  /** The types and fields that its records are known to have; undefined if they may have any. */
  readonly known?: KnownFormat
  /** How sessions are written. A format without a writer is only read. */
  readonly writer?: FormatWriter
  /** Other shapes in which its sessions can be written, by their names in `--format`. */
  readonly variants?: Readonly<Record<string, Variant>>
  /** The program that resumes its sessions, if it is known. */
  readonly agent?: Agent
}

/** A session as its agent has it: the id that it has there, and its file. */
export interface Resumable {
  readonly id: string
  readonly path: string
}

/** The program whose sessions a format holds. */
export interface Agent {
  /** Its name for people. */
  readonly title: string
  /** Its name where its session folders are known by another than the format's. */
  readonly name?: string
  /** Returns the command that imports a session from its file, if the agent does not look for files. */
  readonly take?: (session: Resumable) => readonly string[]
  /**
   * Returns the command that resumes a session, as a list of arguments, to be run in the session's folder. Empty if
   * there is none.
   */
  resume(session: Resumable): readonly string[]
  /** Returns an instruction for people if there is no command. */
  readonly opens?: (session: Resumable) => string
  /** Whether it takes a file from any folder. */
  readonly anywhere?: boolean
  /** Whether it looks only at sessions of the folder that it is started in. */
  readonly perFolder?: boolean
}
