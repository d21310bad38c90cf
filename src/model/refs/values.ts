import type { Oid } from '../encoding/oid.ts'
import type { GitFacts } from '../gitfacts.ts'
import type { LogTotals } from '../logtotals.ts'
import type { BlobId, LogId } from '../record.ts'
import type { Spawn } from '../spawn.ts'
import type { UnknownNames } from '../unknownnames.ts'
import type { Usage } from '../view.ts'

// Values of refs are type aliases: TypeScript assigns those to JSON without a cast, and interfaces not.

/** The metadata of a session, the value of its ref `meta`. */
export type SessionMeta = {
  /** The name of the format that it was imported from; `sess` where it was created here. */
  readonly format: string
  readonly title: string | null
  /** The folder that it worked in last, and where its agent finds it. */
  readonly cwd: string | null
  /** Milliseconds since 1970. */
  readonly created: number | null
  /** The id that its agent gave it, where that differs from its id here. */
  readonly native: string | null
  /** The path of its source: follows the file when its agent moves it. */
  readonly path: string | null
  /** The id of its file, where that differs from the id that its agent gave it: others refer to the file by it. */
  readonly page?: string
  /** All folders that it worked in, with `cwd`, in the order of their first use, if there are several. */
  readonly folders?: readonly string[]
  /** The state of the git repository that it worked in. */
  readonly git?: GitFacts
  /** The addresses of the pull requests that it names, or `owner/name#number`. */
  readonly pullRequests?: readonly string[]
  /** The start of its first prompt, at most 120 UTF-16 units; of a fork, 32 units of that of the original session. */
  readonly prompt?: string
  /** Whether the user of sess set or removed the title: imports then leave it as it is. */
  readonly renamed?: boolean
  /** Folders that were moved according to the user, in the order in which they were reported. */
  readonly moved?: readonly (readonly [from: string, to: string])[]
  /** The native id of the session that started it, where its source names one. */
  readonly parent?: string
  /** The native id of the sub-agent that called it, where its source names the session above both. */
  readonly caller?: string
  /** The native id of the session in which it goes on, where its source names one. */
  readonly continuedIn?: string | null
  /** The entries that started its sub-agents, by the native ids of the sub-agents' sessions. */
  readonly agents?: { readonly [id: string]: Oid }
  /** The entries that started sub-agents without naming their sessions, by the start of the prompt or by their run. */
  readonly asks?: { readonly [prompt: string]: Oid }
  /** The starts of the prompts, or the runs, of sub-agents whose starting entry is not known yet, by their ids. */
  readonly waits?: { readonly [id: string]: string }
  /** How sub-agents were started, by their native ids, as files beside the session say. */
  readonly spawned?: { readonly [id: string]: Spawn }
  /** The run of several sub-agents that it is a part of. */
  readonly run?: string
  /** The values that its user set, by key. */
  readonly set?: { readonly [key: string]: string }
  /**
   * Of a fork, and of a source that refers to its history: the logs with the records of the shared path, and the number of
   * its entries. `from` is the original session, `openings` are those of its logs: see `Spending`.
   */
  readonly fork?: {
    readonly base: LogPrefixes
    readonly entries: number
    readonly from?: string
    readonly openings?: readonly string[]
  }
}

/** The first `count` records of each of several logs, the newest log first. */
export type LogPrefixes = readonly (readonly [log: LogId, count: number])[]

/** The head of a log. */
export type LogHead = {
  readonly log: LogId
  readonly count: number
  /** The number of distinct entries of its records. */
  readonly entries: number
  /** The running hash over its records, 64 hex digits. */
  readonly hash: string
  /** The time of the newest record with a time, in milliseconds since 1970. */
  readonly updated: number | null
  /** The totals of its entries, each counted once. */
  readonly summary?: LogTotals
  /** Whether content was expunged from it: it no longer returns the bytes of its source. */
  readonly expunged?: true
}

/** The head of the log of the native appends of one writer to a session. */
export type NativeHead = LogHead & {
  /**
   * The logs that precede it: after an undo a new log is begun, because the undone records stay in the old one.
   * `entries` and `hash` cover all of these logs.
   */
  readonly earlier?: LogPrefixes
}

/** The head of a source's log. Records how far the source was read, so that the next import reads only what is new. */
export type SourceHead = LogHead & {
  readonly reading: number
  /** The number of bytes of the source that the log holds, with its tail. */
  readonly bytes: number
  /** The SHA-256 of these bytes. */
  readonly sha256: string
  /** The first hex digits of the SHA-256 of its first bytes, where it has enough. */
  readonly start?: string
  /** The bytes after the last complete value, as consecutive blobs. */
  readonly tail: readonly BlobId[]
  /** The branches as the last import set them, but for those in `numbered`: see `importedBranches`. */
  readonly branches: { readonly [name: string]: Oid }
  /** The branches `at-` and 8 digits, where there are very many: those digits and the oid of each, in consecutive blobs. */
  readonly numbered?: readonly BlobId[]
  readonly salvaged: number
  /** Whether entries of it were replaced by others, as messages were rewritten: no branch leads to them. */
  readonly superseded?: boolean
  /** The number of roots with an unresolved parent. Default: 0. */
  readonly lacking?: number
  /** The newest version of its agent that wrote it, if its records have one. */
  readonly version?: string
  /** The types and fields of its records that no reader knew. */
  readonly unknown?: UnknownNames
  /** The compressed file that the bytes were unpacked from, as consecutive blobs. */
  readonly packed?: readonly BlobId[]
  /** Whether the bytes are several files in one stream. */
  readonly bundled?: boolean
  /** Where it begins, if not at a root of its own. */
  readonly origin?: SourceOrigin
  /** The facts of the file that decide whether the session has the id that its agent gave it. */
  readonly claim?: StoredClaim
}

/** The place in another session where a source begins that refers to its history instead of copying it. */
export type SourceOrigin = {
  /** The native id of that session, or of its file. */
  readonly session: string
  /** The id of the last inherited record, the number of the first one that is not inherited, or the byte after the last. */
  readonly native?: string
  readonly ordinal?: number
  readonly offset?: number
  /** The entry on which the source stands; null before the first entry. Absent while it is not in the store. */
  readonly entry?: Oid | null
  /** The facts that the reader was given of the history before it: see `Inherited`. */
  readonly inherited?: { readonly model?: string; readonly thinking?: string; readonly counter?: Usage }
}

/** The part of a file's claim to its id that is kept: where it differs from that of the usual file. */
export type StoredClaim = {
  /** Whether nobody speaks in it. */
  readonly silent?: true
  /** Whether it is the transcript of a sub-agent. */
  readonly subagent?: true
}

/** The head of an export of a session to another agent, and of the records that this agent added to it since. */
export type ExportHead = SourceHead & {
  /** The format of the export. */
  readonly format: string
  /** The log of the exported records. The tip of each record is the last entry that its line includes. */
  readonly written: readonly [log: LogId, count: number]
  /** The tip of the session at the time of the export. Added records continue it. */
  readonly tip: Oid
  /** The branch that added records move, if any. */
  readonly onto?: string
}

/** The head of a sidecar file of a session. */
export type FileHead = SourceHead

/** The HEAD of a session: a branch, or an entry (detached). An `oid` of null is the position before the first entry. */
export type Head = { readonly branch: string } | { readonly oid: Oid | null }

/** The position of an agent in its own file. */
export type LeafValue = {
  /** The id of its record; null before the first. */
  readonly record: string | null
  /** The size of the file: once it is larger, its last line is the leaf. */
  readonly bytes: number
  /** The entry that HEAD was moved to for it, null for none; absent until it was. */
  readonly tip?: Oid | null
}

/** The session that something is of, or that is current in a folder. */
export type SessionName = { readonly session: string }

/** The files of a session that hold the whole results of an entry, by the ids of the calls. */
export type OutputFiles = {
  readonly session: string
  readonly files: { readonly [call: string]: string }
}

/** The parent of a grafted root, the id by which the root's source names it, and the session of that source. */
export type GraftValue = {
  readonly parent: Oid
  readonly native: string
  readonly session: string
}

/** The session whose source names a missing parent, and when, in milliseconds since 1970. */
export type UnresolvedValue = {
  readonly session: string
  readonly time?: number
}

/** Nothing but the name of the ref says anything. */
export type EmptyValue = { readonly [key: string]: never }

/** A branch of a session that belongs to a swarm, or a session with its current branch. */
export type SwarmMember = {
  readonly session: string
  readonly branch?: string
  /** The attempt that is made there, in words. */
  readonly about?: string
}

/** A named group of sessions and branches, on which several agents work at one task. */
export type SwarmValue = {
  /** The session in which branches are made for it. */
  readonly session: string
  readonly task?: string
  /** In milliseconds since 1970. */
  readonly created: number
  /** The name of its current member. */
  readonly current?: string
  readonly members: { readonly [name: string]: SwarmMember }
}
