import type { AgentPosition } from '../ops/agentposition.ts'
import type { ImportOptions, ImportResult } from '../ops/import/import.ts'
import {
  readSessions,
  type SessionReads,
  type SessionWriteOptions,
  type SessionWrites,
  writeSessions,
} from '../ops/sessionwork.ts'
import { type OpenStoreOptions, openStore, type Store } from '../verbs/open.ts'
import type { Removed } from './types.ts'

/**
 * Options for opening a store: `create` creates it if there is none, `lockTimeout` is the time in milliseconds to wait
 * while another process has the database (5,000 by default), `command` names the program in the operation log (`library`
 * by default).
 */
export interface OpenOptions extends Pick<OpenStoreOptions, 'create' | 'lockTimeout' | 'command'> {
  /** The folder that `@` refers to; the working directory of the process by default. */
  readonly cwd?: string
  /**
   * Read the store as it was right after an operation: its number, 4 or more digits of its id, or a time
   * (`2026-04-02T08:00Z`). Writing throws `read-only` then.
   */
  readonly atOperation?: number | string
}

/** Opens the store in a folder for the library. */
export const openFolder = (dir: string, { atOperation, ...options }: OpenOptions = {}): Promise<Store> =>
  openStore(dir, { ...options, ...(atOperation !== undefined && { atOperation: `${atOperation}` }) })

/**
 * An open store for a program that keeps the sessions of its own system in it, or has it follow files that it writes.
 * `Store` does the same and everything else, and takes twice as long to load. Every method throws `closed` after `close`.
 */
export class SessionStore implements AsyncDisposable {
  readonly #store: Store

  protected constructor(store: Store) {
    this.#store = store
  }

  /** Opens the store in a folder. Throws as `openStore`. */
  static async open(dir: string, options?: OpenOptions): Promise<SessionStore> {
    return new SessionStore(await openFolder(dir, options))
  }

  /** Runs a unit of work that reads: all that it reads is of one moment. Throws as the work. */
  read<T>(work: (reads: SessionReads) => T | Promise<T>): Promise<T> {
    return readSessions(this.#store, work)
  }

  /**
   * Runs a unit of work, alone among all processes, and commits it as one operation: durable when this resolves. Where it
   * throws, nothing is changed. It must await nothing but the calls of `writes`.
   */
  write<T>(work: (writes: SessionWrites) => T | Promise<T>, options: SessionWriteOptions = {}): Promise<T> {
    return writeSessions(this.#store, work, options)
  }

  /** Removes sessions in one operation; their entries stay. Throws `no-session`, and then removes none. */
  async remove(session: readonly string[]): Promise<Removed[]> {
    const { resultOf } = await import('./perform.ts')
    return [...(await resultOf(this.#store, 'rm', { session }))]
  }

  /**
   * Imports files and folders, as `sess import` does: durable when it resolves. Paths that cannot be read are in
   * `refused`, problems within a file in its `warnings`; neither is thrown.
   */
  async import(paths: string | readonly string[], options: ImportOptions = {}): Promise<ImportResult> {
    // Programs that keep their sessions in the store alone need none of this, which is a quarter of what they would load.
    const { importPaths } = await import('../ops/import/import.ts')
    return importPaths(this.#store, typeof paths === 'string' ? [paths] : paths, options)
  }

  /**
   * Returns the native id of the record at which an agent left the session of a file of so many bytes, null before the
   * first; undefined where that is the last record of the file. A session that was switched in the store is where it was
   * switched to, unless the file has grown since it was imported.
   */
  async position(path: string, bytes: number): Promise<string | null | undefined> {
    const { findPosition } = await import('../ops/agentposition.ts')
    return findPosition(this.#store, { path, bytes })
  }

  /**
   * Stores at which record an agent is in the file of a session, which it imports if the store does not know it. The
   * session is switched there too, if the store has read that much of the file. One operation, joined with those before
   * it that have the same `coalesce`. Throws what keeps the file from being read.
   */
  async setPosition(
    position: AgentPosition,
    options: Pick<SessionWriteOptions, 'coalesce'> = {},
  ): Promise<void> {
    const { setPosition } = await import('../ops/agentposition.ts')
    return setPosition(this.#store, position, options)
  }

  /**
   * Returns the damaged refs that reading has gone on without since the store was opened, by their names, with what is wrong
   * with each: a branch, a label or a session that they name is missing from results. Empty for a sound store. `fsck`
   * finds all, whether anything has read them or not.
   */
  async passedOver(): Promise<ReadonlyMap<string, string>> {
    const { refsPassedOver } = await import('../verbs/passed-over.ts')
    return refsPassedOver(this.#store)
  }

  /** Closes the store. Everything that was acknowledged is durable; await other writes first. */
  close(): Promise<void> {
    return this.#store.close()
  }

  /** Closes the store, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
