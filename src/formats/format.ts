import type { Json } from '../model/json.ts'
import type { Usage, View } from '../model/view.ts'
import type { Agent } from './agent.ts'
import type { Beginning } from './beginning.ts'
import type { Splitter, Unit, Warning } from './unit.ts'
import type { Writer } from './write.ts'

/** A number that stands for an entry while its source is read: the position of the record that carries it, from 0. */
export type Handle = number

/** An entry as a reader finds it, its relatives named by handles. */
export interface Said {
  readonly type: string
  /**
   * The conversation-bearing part of the unit's value: the same keys at the same places, what is left out left out
   * at every depth. Parts that are taken whole are the very same objects, not copies.
   */
  readonly body: Json
  /** Where in the unit's value the body stands; without it the body stands at the value itself. */
  readonly at?: readonly string[]
  readonly parent: Handle | null
  /** Further parents, of a merge. */
  readonly also?: readonly Handle[]
  readonly links?: {
    readonly firstKept?: Handle
    readonly kept?: readonly Handle[]
    readonly target?: Handle
  }
}

/** An entry that is chained anew, because something before it says something else now. */
export interface Again {
  /** The record that carries it as it was. */
  readonly said: Handle
  readonly parent: Handle | null
  /** When it was said, in milliseconds since 1970. */
  readonly time?: number
  /** The id that the source gives it. */
  readonly native?: string
}

/** What a reader makes of one unit. */
export interface Reading {
  /** The entry that the record carries, if any. */
  readonly entry?: Said | undefined
  /** When it was said, in milliseconds since 1970. */
  readonly time?: number | undefined
  /** The id that the source gives it. */
  readonly native?: string | undefined
  /** Of a root: the id of the parent that its source names and lacks. Another source may have it. */
  readonly dangling?: string | undefined
  readonly warnings?: readonly Warning[] | undefined
  /** Records whose entries end no branch any more, because others were put in their place; unless they are said again. */
  readonly superseded?: readonly Handle[]
  /** What is chained anew behind this unit. Each has a record without bytes, at the handles that follow the unit's. */
  readonly again?: readonly Again[]
}

/** What is known of a session once its source is read. */
export interface Facts {
  /** The session's id in its own system, where the content gives one. */
  readonly id?: string
  readonly title?: string
  readonly cwd?: string
  /** The id, in its own system, of the session that started it. */
  readonly parent?: string
  /** The entries that started sub-agents, by the ids of the sessions of these, in their own system. */
  readonly agents?: ReadonlyMap<string, Handle>
  /** What its model calls took, where that is told for all of them together and not with each. */
  readonly usage?: Omit<Usage, 'call'>
  /**
   * The entries that started sub-agents which they do not name, by the first words of what they asked, as `promptIn`
   * gives them. Where it is there, sub-agents are told by what they were asked.
   */
  readonly asks?: ReadonlyMap<string, Handle>
  /** In milliseconds since 1970. */
  readonly created?: number
  /** What the user named, by label. */
  readonly labels?: ReadonlyMap<string, Handle>
  /** The newest entry of each branch that the source names. */
  readonly branches?: ReadonlyMap<string, Handle>
  /** The files that its entries name by the SHA-256 of their bytes, in lowercase hex. */
  readonly blobs?: ReadonlySet<string>
}

/**
 * Reads the units of one source in order. Prefix-stable: what it gave for a unit does not depend on later units, so
 * that a file that grows changes no oid already given.
 */
export interface Reader {
  read(unit: Unit): Reading
  /** The agent's own active leaf among the entries read so far: what that agent would resume. Null where none. */
  active(): Handle | null
  facts(): Facts
}

/** The beginning of a source, from which its format is recognised. */
export interface Sample {
  /** The file's name without its folders. */
  readonly name: string
  /** The name of the folder that it lies in. */
  readonly folder?: string
  /** The names of the folders above that, the nearest first; not all of them. */
  readonly above?: readonly string[]
  /** Its first bytes, at most 256 KiB. */
  readonly head: Uint8Array
  /** The JSON objects on the complete lines of `head`, at most 50, and whether `head` is the whole file. */
  readonly lines: readonly Json[]
  readonly whole: boolean
  /** What was split of it, by lines to find these and as formats split it. */
  readonly beginning?: Beginning
}

/** Where files beside a session's lie: in a folder, or in its own under names that its name tells. */
type BesidePlace =
  | {
      /**
       * Gives the folder that it lies in, from the one of the file, by the names of the file, of its folder and of those
       * above, the nearest first; of that folder itself ('') and of those above it (`..`), what is below is not looked
       * at. Undefined where there is none.
       */
      readonly folder: (name: string, folder: string, above: readonly string[]) => string | undefined
      /** Whether that folder is the session's alone, so that what is below it is looked at wherever it lies. */
      readonly own?: boolean
      /** Tells by its path from there, with `/`, whether a file is the session's, and no session of its own. */
      readonly holds: (path: string) => boolean
    }
  | { readonly names: (name: string) => readonly string[] }

/** What an agent keeps beside the file of a session. */
export type Beside = BesidePlace & {
  /** Whether entries name files by the SHA-256 of their bytes. */
  readonly blobs?: boolean
  /** Gives what such a file says of the session, from its path and the JSON in it. */
  readonly facts?: (path: string, value: Json) => Facts
}

/** A shape of a format's sessions that is written besides the usual one, and the program that goes on with it, if any. */
export interface Variant {
  readonly writer: Writer
  readonly agent?: Agent
}

/** How one agent's sessions are recognised, read and understood. Pure: bytes in, values out. */
export interface Format {
  /** Its name in listings and in `--format`. */
  readonly name: string
  /** The dialect in entry types: the part before the slash. */
  readonly dialect: string
  /** The number of its reading. A log keeps the reading that it began with. */
  readonly reading: number
  /** Whether its files hold conversations: taken from folders without `--all`. */
  readonly conversational: boolean
  /** Whether its agent writes the whole file anew when it changes: the file at a path stays the same session. */
  readonly rewritten?: boolean
  /** Tells whether a source is of this format. The first format of the registry that says so takes it. */
  detect(sample: Sample): boolean
  readonly splitter: () => Splitter
  /** Starts reading a source with this file name, in a folder of this name, below folders of these, the nearest first. */
  reader(name: string, folder?: string, above?: readonly string[]): Reader
  /** Tells by the names of a file and its folder how many levels above that folder lies the project that its sessions are of. */
  readonly project?: (name: string, folder?: string) => number | undefined
  /** Gives how many bytes a source begins with that its agent changes in place; none unless said. */
  readonly slot?: (head: Uint8Array) => number
  /** The files beside a session, where its agent keeps some. */
  readonly beside?: Beside
  /** What an entry of this dialect means in full, from the part of its type after the slash and its body. Never throws. */
  view(kind: string, body: Json): View
  /** How sessions are written in it; a format without one is only read. */
  readonly writer?: Writer
  /** Other shapes of its sessions that are written, by their names in `--format`. */
  readonly variants?: Readonly<Record<string, Variant>>
  /** The program that goes on with its sessions, where that is known. */
  readonly agent?: Agent
}
